"""Parts of a tree, audited or converted apart: joined, they are what the whole tree gives."""

import json
import shutil
from pathlib import Path

import pytest

from hipport.runs.convert import convert
from hipport.runs.convert_request import ConvertRequest
from hipport.source.tree import run_tasks
from tests.support.command import hipport, make_tree
from tests.support.folders import FIXTURES

TREE = FIXTURES / "cuda"
# What becomes of these files depends on others: names that another declares, headers that need the
# runtime's, a header of CUDA's name that is the tree's own, helpers, a language standard.
TOGETHER = {
    "lib/own.h": "inline int cudaFrobnicate(int x) { return x; }\n",
    "app/uses.cu": "#include <cuda_runtime.h>\nint x = cudaFrobnicate(cudaSuccess);\n",
    "lib/late.cuh": "inline __device__ float f(float2 x) { return __fdividef(x.x, x.y); }\n",
    "app/late.cu": '#include "../lib/late.cuh"\n#include <cuda_runtime.h>\n',
    "lib/cuda_helper.h": "int own();\n",
    "app/header.cpp": '#include "cuda_helper.h"\n#include <cublas_v2.h>\ncublasHandle_t h;\n',
    "app/warp.cu": "__device__ int g(int x) { return __shfl_down_sync(~0u, x, 1); }\n",
    "app/CMakeLists.txt": "project(a LANGUAGES CUDA CXX)\nset(CMAKE_CXX_STANDARD 11)\n"
    "add_executable(a sort.cu)\n",
    "app/sort.cu": "#include <cub/cub.cuh>\n#include <thrust/sort.h>\n",
    "data/table.bin": b"\x00\x01",
}


def report(folder: Path, name: str, *options: str) -> dict[str, list[dict[str, object]]]:
    hipport("audit", "report", "--fail-on", "never", "-o", str(folder / name), *options, cwd=folder)
    found: dict[str, list[dict[str, object]]] = json.loads((folder / name).read_text())
    return found


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards") / "tree"
    shutil.copytree(TREE, folder)
    make_tree(folder, TOGETHER)
    (folder / "lib/link.h").symlink_to("own.h")
    return folder


def converted(folder: Path, tree: Path, output: str, *options: str) -> dict[str, object]:
    """The report of a conversion to a folder."""
    command = ("convert", "--isolated", "--rename", ".cu=.hip", str(tree), "-o", output, *options)
    done = hipport(*command, "--report", "report.json", cwd=folder)
    assert done.code in (0, 1), done.err
    report: dict[str, object] = json.loads((folder / "report.json").read_text())
    return report


def contents(folder: Path) -> dict[str, object]:
    """All of a folder, the manifest too."""
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.slow
def test_converted_parts_joined_are_the_whole(tmp_path: Path, tree: Path) -> None:
    """Each byte that is written, the manifest, and the report."""
    whole = converted(tmp_path, tree, "whole")
    for k in (1, 2, 3):
        report = converted(tmp_path, tree, f"parts/{k}", "--shard", f"{k}/3")
        assert report["files"]
    joined = converted(tmp_path, tree, "joined", "--parts", "parts")
    assert contents(tmp_path / "joined") == contents(tmp_path / "whole")
    assert joined == whole
    parts = [contents(tmp_path / "parts" / str(k)).keys() for k in (1, 2, 3)]
    assert parts[0] & parts[1] & parts[2] <= {".hipport/manifest"} | HELPERS


HELPERS = {"hipport_warp32.h", "hipport_device.h"}


def test_what_the_parts_have_is_not_converted_again(
    tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in (1, 2):
        converted(tmp_path, tree, f"parts/{k}", "--shard", f"{k}/2")
    request = ConvertRequest(
        (tree,),
        output=tmp_path / "joined",
        parts=tmp_path / "parts",
        rename=(".cu=.hip",),
        isolated=True,
        jobs=1,
    )
    seen: list[str] = []

    def convert_source(data: bytes, name: str, *rest: object, **more: object) -> object:
        seen.append(name)
        raise AssertionError(name)

    with monkeypatch.context() as patched:
        patched.setattr(run_tasks, "convert_source", convert_source)
        convert(request)
    assert seen == []


def test_what_changed_since_or_is_missing_is_converted(tmp_path: Path) -> None:
    make_tree(tmp_path / "tree", {f"{n}.cu": f"int a{n} = cudaSuccess;\n" for n in range(8)})
    for k in (1, 2):
        converted(tmp_path, Path("tree"), f"parts/{k}", "--shard", f"{k}/2")
    shutil.rmtree(tmp_path / "parts/2")
    (tmp_path / "tree/0.cu").write_text("int b = cudaErrorUnknown;\n")
    (tmp_path / "tree/1.cu").write_text("int b = cudaErrorUnknown;\n")
    converted(tmp_path, Path("tree"), "whole")
    converted(tmp_path, Path("tree"), "joined", "--parts", "parts")
    assert contents(tmp_path / "joined") == contents(tmp_path / "whole")


@pytest.mark.slow
def test_parts_in_one_folder_one_after_the_other(tmp_path: Path, tree: Path) -> None:
    """None forgets what another did, or calls its files orphans."""
    whole = converted(tmp_path, tree, "whole")
    for k in (1, 2, 1):
        report = converted(tmp_path, tree, "one", "--shard", f"{k}/2")
        assert "HP-MERGE-002" not in json.dumps(report)
    assert converted(tmp_path, tree, "one") == whole
    assert contents(tmp_path / "one") == contents(tmp_path / "whole")


def test_manual_edits_are_kept_when_parts_are_joined_again(tmp_path: Path) -> None:
    text = "".join(f"int a{n} = cudaSuccess;\n" for n in range(9))
    make_tree(tmp_path / "tree", {"a.cu": text, "b.cu": text})
    for changed in (text, text.replace("a8", "c8")):
        (tmp_path / "tree/a.cu").write_text(changed)
        for k in (1, 2):
            converted(tmp_path, Path("tree"), f"parts/{k}", "--shard", f"{k}/2")
        converted(tmp_path, Path("tree"), "joined", "--parts", "parts")
        result = tmp_path / "joined/a.hip"
        result.write_text(result.read_text().replace("a0", "mine"))
    assert "int mine = hipSuccess;" in result.read_text()
    assert "int c8 = hipSuccess;" in result.read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--shard", "1/2"), "--shard and --parts are for a copy (name its folder with -o)"),
        (("--shard", "1/2", "--in-place"), "--shard and --parts are for a copy"),
        (("--parts", ".", "--check"), "--shard and --parts are for a copy"),
        (("--shard", "3/2", "-o", "x"), "--shard 3/2: no part of a tree (write it like 3/16)"),
        (("--shard", "1/2", "-o", "x", "--verify"), "--shard converts a part, but a compiler"),
        (("--parts", ".", "-o", "x"), ".: no part of a conversion is in it (name the folder"),
    ],
)
def test_what_cannot_be_split_is_refused(
    options: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    make_tree(tmp_path, {"src/a.cu": "int a = cudaSuccess;\n"})
    done = hipport("convert", "src", *options, cwd=tmp_path)
    assert (done.code, words in done.err) == (2, True), done.err


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    make_tree(tmp_path / "tree", {"a.cu": "int a = cudaSuccess;\n"})
    converted(tmp_path, Path("tree"), "parts/1", "--shard", "1/1")
    manifest = tmp_path / "parts/1/.hipport/manifest"
    manifest.write_bytes(manifest.read_bytes().replace(b"\t", b"\tx", 2))
    done = hipport("convert", "tree", "-o", "joined", "--parts", "parts", cwd=tmp_path)
    assert done.code == 2
    assert "parts/1/.hipport/manifest: damaged" in done.err
