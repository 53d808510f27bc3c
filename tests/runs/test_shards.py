"""Parts of a tree, audited apart: joined, they are the audit of the whole tree."""

import json
from pathlib import Path

from tests.support.command import hipport
from tests.support.folders import FIXTURES

TREE = FIXTURES / "cuda"


def report(folder: Path, name: str, *options: str) -> dict[str, list[dict[str, object]]]:
    hipport("audit", "report", "--fail-on", "never", "-o", str(folder / name), *options, cwd=folder)
    found: dict[str, list[dict[str, object]]] = json.loads((folder / name).read_text())
    return found


def test_the_parts_joined_are_the_whole(tmp_path: Path) -> None:
    whole = report(tmp_path, "whole.json", str(TREE))
    parts = [report(tmp_path, f"{k}.json", "--shard", f"{k}/3", str(TREE)) for k in (1, 2, 3)]
    assert all(each["files"] for each in parts)
    names = [str(tmp_path / f"{k}.json") for k in (1, 2, 3)]
    joined = tmp_path / "joined.json"
    hipport("audit", "merge", "--fail-on", "never", "-o", str(joined), *names, cwd=tmp_path)
    merged = json.loads(joined.read_text())
    for key in ("files", "findings"):
        wanted = sorted(json.dumps(each, sort_keys=True) for each in whole[key])
        assert sorted(json.dumps(each, sort_keys=True) for each in merged[key]) == wanted
    assert sum(len(each["files"]) for each in parts) == len(whole["files"])


def test_what_is_no_part_is_refused(tmp_path: Path) -> None:
    for text in ("0/3", "4/3", "3", "a/b", "1/0"):
        result = hipport("audit", "report", "--shard", text, str(TREE), cwd=tmp_path)
        refusal = f"--shard {text}: no part of a tree (write it like 3/16)"
        assert (result.code, refusal in result.err) == (2, True)
