"""`python -m benchmarks.shards`: what a large tree costs in parts, which have to make the whole.

Writes benchmarks/shards.json and the table of docs/how-to/many-machines.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain, cycle, groupby, islice
from pathlib import Path

from benchmarks.convert import CODE, Cost, child
from tests.support.real_trees import trees, unpacked

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("shards.json")
PAGE = ROOT / "docs" / "how-to" / "many-machines.md"
MARK = "<!-- measured: python -m benchmarks.shards writes the table below this line -->\n"
COUNTS = (20_000, 200_000)
PARTS = 16
_SMALL = 4096
_IN_A_FOLDER = 64
_NEVER = ("--fail-on", "never", "--isolated", "--jobs", "1", "-q")

Step = dict[str, object]


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.shards")
    arguments.add_argument("--counts", type=int, nargs="*", default=COUNTS)
    arguments.add_argument("--table", action="store_true", help="write the page, measure nothing")
    options = arguments.parse_args()
    if not options.table:
        steps: list[Step] = []
        for step in chain.from_iterable(map(_measured, options.counts)):
            steps.append(step)
            RESULTS.write_text(json.dumps(steps, indent=1) + "\n", "utf-8")
    steps = json.loads(RESULTS.read_text("utf-8"))
    before, _, after = PAGE.read_text("utf-8").partition(MARK)
    _, _, rest = after.lstrip("\n").partition("\n\n")
    PAGE.write_text(f"{before}{MARK}\n{_table(steps)}\n\n{rest}", "utf-8")


def _measured(count: int) -> Iterator[Step]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make(work / "tree", count)
        for what, each in (("convert", converted), ("audit", audited)):
            for step, cost in each(work):
                found = {"command": what, "files": count, "step": step, **cost._asdict()}
                print(*found.values(), sep="\t", file=sys.stderr, flush=True)
                yield found


def make(folder: Path, count: int) -> None:
    """Of 16 files one is a small CUDA program, five are small C++, ten are none; all differ."""
    tree = trees()["xgboost"]
    plain = [each for each in _small(unpacked(tree) / tree.folders[0]) if each.suffix in CODE]
    others = _small(ROOT / "rules")
    kinds = (_small(ROOT / "fixtures" / "cuda"), *[plain] * 5, *[others] * 10)
    for number, path in enumerate(islice(_in_turn(kinds), count)):
        parent = folder / f"{number // _IN_A_FOLDER:05}"
        parent.mkdir(parents=True, exist_ok=True)
        comment = "#" if path.suffix in (".toml", ".txt", ".py", ".mk", "") else "//"
        text = path.read_bytes() + f"{comment} {number}\n".encode()
        (parent / f"{number:06}_{path.name}").write_bytes(text)


def _small(folder: Path) -> list[Path]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in files if path.stat().st_size <= _SMALL]


def _in_turn(kinds: tuple[list[Path], ...]) -> Iterator[Path]:
    """One of each kind, then one of each again; kinds that are the same list go on in it."""
    going = {id(each): cycle(each) for each in kinds}
    for each in cycle(kinds):
        yield next(going[id(each)])


def converted(work: Path) -> Iterator[tuple[str, Cost]]:
    source, parts = str(work / "tree"), work / "parts"

    def run(output: Path, *more: str) -> Cost:
        report = str(output.with_name(f"{output.name}.json"))
        command = ("convert", source, "-o", str(output), "--report", report, *more, *_NEVER)
        return child("-m", "hipport", *command)

    yield "whole", run(work / "whole")
    whole, report = digest(work / "whole"), (work / "whole.json").read_bytes()
    shutil.rmtree(work / "whole")
    parts.mkdir()
    for number in range(1, PARTS + 1):
        yield f"part {number} of {PARTS}", run(parts / str(number), "--shard", f"{number}/{PARTS}")
    yield "joined", run(work / "joined", "--parts", str(parts))
    if digest(work / "joined") != whole or (work / "joined.json").read_bytes() != report:
        raise SystemExit("convert: the parts, joined, are not the whole")
    for each in (work / "joined", parts):
        shutil.rmtree(each)


def digest(folder: Path) -> str:
    """Of all names and contents below a folder."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def audited(work: Path) -> Iterator[tuple[str, Cost]]:
    def run(output: str, *more: str) -> Cost:
        report = ("-o", str(work / output), "--fail-on", "never")
        return child("-m", "hipport", "audit", *more, *report)

    tree = str(work / "tree")
    options = ("report", tree, "--isolated", "--jobs", "1", "--format", "json")
    yield "whole", run("audit.json", *options)
    names = [f"audit{number}.json" for number in range(1, PARTS + 1)]
    for number, name in enumerate(names, 1):
        yield f"part {number} of {PARTS}", run(name, *options, "--shard", f"{number}/{PARTS}")
    yield "joined", run("joined.json", "merge", *(str(work / name) for name in names))
    if lines(work / "joined.json") != lines(work / "audit.json"):
        raise SystemExit("audit: the parts, joined, are not the whole")


def lines(report: Path) -> dict[str, list[str]]:
    found = json.loads(report.read_bytes())
    return {
        key: sorted(json.dumps(each, sort_keys=True) for each in found[key])
        for key in ("files", "findings")
    }


def _table(steps: list[Step]) -> str:
    head = ["command", "files", "step", "CPU s", "wall s", "CPU ms a file", "peak MiB"]
    rows = [head, ["---"] * len(head)]
    for (command, files, step), each in _same(steps):
        cpu, wall, memory = (
            max(float(str(one[figure])) for one in each) for figure in Cost._fields
        )
        figures = [f"{cpu:.0f}", f"{wall:.0f}", f"{1000 * cpu / files:.2f}", f"{memory:.0f}"]
        rows.append([f"`{command}`", f"{files:,}", step, *figures])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _same(steps: list[Step]) -> Iterator[tuple[tuple[str, int, str], list[Step]]]:
    """The steps, those of all parts of a tree together: the costliest part is what matters."""

    def kind(step: Step) -> tuple[str, int, str]:
        name, _, parts = str(step["step"]).partition(" of ")
        return str(step["command"]), int(str(step["files"])), f"each of {parts}" if parts else name

    for same, found in groupby(steps, kind):
        yield same, list(found)


if __name__ == "__main__":
    main()
