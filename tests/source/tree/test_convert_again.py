"""`hipport convert` on a tree that it has converted before: what is done anew, kept and merged."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from binascii import b2a_base64
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.files import MEMORY
from hipport.source.tree.manifest import unpacked
from hipport.zstd import zstd
from tests.support.command import Ran, hipport, make_tree, read_tree

DONE = Ran(0, "", "")
CUDA = """#include <cuda_runtime.h>
int one(void **p) { return cudaMalloc(p, 4); }
// 1
// 2
// 3
int two(void *p) { return cudaFree(p); }
"""
HIP = """#include <hip/hip_runtime.h>
int one(void **p) { return hipMalloc(p, 4); }
// 1
// 2
// 3
int two(void *p) { return hipFree(p); }
"""
UNMAPPED = "int g() { return cudaGetExportTable(0, 0); }\n"
BY_HAND = HIP.replace("p, 4", "p, 64")
"""HIP, its first function edited by hand."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree, converted once."""
    given = {"a.cu": CUDA, "b.cu": UNMAPPED, "notes.txt": "one\ntwo\nthree\nfour\n"}
    folder = make_tree(tmp_path / "src", given)
    assert convert(folder).code == 1
    return folder


def convert(tree: Path, *options: str) -> Ran:
    return hipport("convert", "src", *options, cwd=tree.parent)


def output(tree: Path) -> Path:
    return tree.parent / "src_hip"


def manifest(tree: Path) -> bytes:
    return (output(tree) / MEMORY / "manifest").read_bytes()


def report(tree: Path, *options: str) -> dict[str, object]:
    convert(tree, "--report", "report.json", *options)
    content: dict[str, object] = json.loads((tree.parent / "report.json").read_text("utf-8"))
    return content


def findings(tree: Path, *options: str) -> list[tuple[str, str, int]]:
    found = report(tree, *options)["findings"]
    assert isinstance(found, list)
    return [(each["code"], each["path"], each["line"]) for each in found]


def stamps(tree: Path) -> dict[str, tuple[int, int]]:
    """Inode and time of each file of the output: a file that was written anew has others."""
    found = {path.name: path.stat() for path in output(tree).iterdir() if path.is_file()}
    return {name: (each.st_ino, each.st_mtime_ns) for name, each in found.items()}


# What is done anew


def test_nothing_changed_nothing_is_written_and_the_report_is_the_same(tree: Path) -> None:
    before, told, remembered = stamps(tree), report(tree), manifest(tree)
    assert report(tree) == told
    assert told["findings"] != []
    assert stamps(tree) == before
    assert manifest(tree) == remembered


def test_only_what_changed_is_written(tree: Path) -> None:
    before = stamps(tree)
    (tree / "a.cu").write_text(CUDA + "cudaStream_t s;\n")
    assert convert(tree).code == 1
    after = stamps(tree)
    assert {name for name in after if after[name] != before[name]} == {"a.cu"}
    assert read_tree(output(tree))["a.cu"] == HIP + "hipStream_t s;\n"


def test_other_options_convert_all_anew(tree: Path) -> None:
    (tree / "c.cu").write_text("void f() { k<<<1, 2>>>(); }\n")
    convert(tree)
    convert(tree, "--launch", "keep")
    assert "k<<<1, 2>>>();" in read_tree(output(tree))["c.cu"]


def test_the_manifest_is_the_same_for_any_number_of_jobs(tree: Path) -> None:
    one = manifest(tree)
    assert convert(tree, "--force", "--jobs", "3").code == 1
    assert manifest(tree) == one
    assert b"src_hip" not in one
    assert str(tree).encode() not in one


def test_a_converted_tree_does_not_hand_its_memory_on(tree: Path) -> None:
    hipport("convert", "src_hip", cwd=tree.parent)
    assert read_tree(tree.parent / "src_hip_hip") == read_tree(output(tree))
    text = (tree.parent / "src_hip_hip" / MEMORY / "manifest").read_text("utf-8")
    assert [json.loads(line.split("\t")[0]) for line in text.splitlines()[1:]] == [
        "a.cu",
        "b.cu",
        "notes.txt",
    ]


def test_a_deleted_output_is_written_again(tree: Path) -> None:
    (output(tree) / "a.cu").unlink()
    (output(tree) / "notes.txt").unlink()
    convert(tree)
    assert read_tree(output(tree))["a.cu"] == HIP
    assert read_tree(output(tree))["notes.txt"] == "one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize("options", [["--in-place"], ["--diff"], ["--check"]])
def test_only_a_converted_copy_is_remembered(tmp_path: Path, options: list[str]) -> None:
    make_tree(tmp_path / "src", {"a.cu": CUDA})
    hipport("convert", *options, "src", cwd=tmp_path)
    assert list(tmp_path.rglob(MEMORY)) == []


# What was edited by hand


def test_edits_by_hand_are_kept(tree: Path) -> None:
    (output(tree) / "a.cu").write_text(BY_HAND)
    (output(tree) / "notes.txt").write_text("mine\n")
    (output(tree) / "new.cu").write_text("cudaFree\n")
    for options in ([], ["--launch", "keep"]):
        assert convert(tree, *options).err == ""
        found = read_tree(output(tree))
        assert (found["a.cu"], found["notes.txt"]) == (BY_HAND, "mine\n")
        assert found["new.cu"] == "cudaFree\n"


def test_edits_by_hand_are_merged_with_a_new_conversion(tree: Path) -> None:
    (output(tree) / "a.cu").write_text(BY_HAND)
    (output(tree) / "notes.txt").write_text("mine\none\ntwo\nthree\nfour\n")
    (tree / "a.cu").write_text(CUDA.replace("cudaFree(p)", "cudaFreeAsync(p, 0)"))
    (tree / "notes.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    assert ("HP-MERGE-001", "a.cu") not in [each[:2] for each in findings(tree)]
    found = read_tree(output(tree))
    assert found["a.cu"] == BY_HAND.replace("hipFree(p)", "hipFreeAsync(p, 0)")
    assert found["notes.txt"] == "mine\none\ntwo\nthree\nfour\nfive\n"
    before = stamps(tree)
    convert(tree)
    assert stamps(tree) == before


def test_a_conflict_is_marked_and_told_until_it_is_settled(tree: Path) -> None:
    (output(tree) / "a.cu").write_text(BY_HAND)
    (tree / "a.cu").write_text(CUDA.replace("p, 4", "p, 8"))
    conflict = ("HP-MERGE-001", "a.cu", 2)
    other = ("HP-API-001", "b.cu", 1)
    first, *rest = HIP.splitlines(keepends=True)[1:]
    expected = (
        "#include <hip/hip_runtime.h>\n"
        "<<<<<<< edited by hand\n"
        f"{first.replace('p, 4', 'p, 64')}=======\n"
        f"{first.replace('p, 4', 'p, 8')}>>>>>>> this conversion\n" + "".join(rest)
    )
    for _ in range(2):
        assert findings(tree, "--fail-on", "blocker") == [conflict, other]
        assert read_tree(output(tree))["a.cu"] == expected
        assert convert(tree).code == 1
    (output(tree) / "a.cu").write_text(BY_HAND)
    assert findings(tree) == [other]
    assert read_tree(output(tree))["a.cu"] == BY_HAND


def test_line_ends_survive_a_merge(tree: Path) -> None:
    (tree / "a.cu").write_bytes(CUDA.replace("\n", "\r\n").encode())
    convert(tree)
    (output(tree) / "a.cu").write_bytes(BY_HAND.replace("\n", "\r\n").encode())
    (tree / "a.cu").write_bytes((CUDA + "cudaEvent_t e;").replace("\n", "\r\n").encode())
    convert(tree)
    wanted = (BY_HAND + "hipEvent_t e;").replace("\n", "\r\n").encode()
    assert (output(tree) / "a.cu").read_bytes() == wanted


def test_force_starts_over(tree: Path) -> None:
    (output(tree) / "a.cu").write_text(BY_HAND)
    convert(tree, "--force")
    assert read_tree(output(tree))["a.cu"] == HIP
    (output(tree) / MEMORY / "manifest").write_text("nonsense")
    convert(tree, "--force")
    assert read_tree(output(tree))["a.cu"] == HIP


def test_binary_files_that_both_changed_are_told(tree: Path) -> None:
    (tree / "data.bin").write_bytes(b"\0one")
    convert(tree)
    (output(tree) / "data.bin").write_bytes(b"\0mine")
    (tree / "data.bin").write_bytes(b"\0two")
    done = convert(tree)
    assert done.code == 2
    assert done.err.startswith("hipport: src_hip/data.bin: git cannot merge it: ")
    assert done.err.endswith("(merge it by hand, or overwrite with --force)\n")
    assert (output(tree) / "data.bin").read_bytes() == b"\0mine"


def test_of_binary_files_no_copy_is_kept(tree: Path) -> None:
    (tree / "data.bin").write_bytes(b"\0one")
    (tree / "late.bin").write_bytes(b"x" * 8_000 + b"\0")
    convert(tree)
    kept = {line.split(b"\t")[0]: line.split(b"\t")[3] for line in manifest(tree).splitlines()[1:]}
    assert kept[b'"data.bin"'] == b""
    assert kept[b'"late.bin"'] and kept[b'"notes.txt"']
    before = stamps(tree)
    convert(tree)
    assert stamps(tree) == before


def test_a_large_file_that_both_changed_is_left_and_told(tree: Path) -> None:
    (tree / "large.txt").write_text("x\n" * 600_000)
    convert(tree)
    (output(tree) / "large.txt").write_text("mine")
    assert ("HP-MERGE-001", "large.txt", 1) not in findings(tree)
    (tree / "large.txt").write_text("y\n" * 600_000)
    assert ("HP-MERGE-001", "large.txt", 1) in findings(tree)
    assert (output(tree) / "large.txt").read_text() == "mine"


# Sources that went


def test_a_source_that_went_is_told_while_its_output_stands(tree: Path) -> None:
    (tree / "b.cu").unlink()
    for _ in range(2):
        assert findings(tree) == [("HP-MERGE-002", "b.cu", 1)]
        assert read_tree(output(tree))["b.cu"] == f"#include <hip/hip_runtime.h>\n{UNMAPPED}"
    (output(tree) / "b.cu").unlink()
    assert findings(tree) == []
    assert b"b.cu" not in manifest(tree)


# Faults


def test_without_git_a_merge_is_refused_and_nothing_lost(tree: Path) -> None:
    (output(tree) / "a.cu").write_text(BY_HAND)
    (tree / "a.cu").write_text(CUDA + "cudaEvent_t e;\n")
    done = hipport("convert", "src", cwd=tree.parent, environment={"PATH": ""})
    assert done == Ran(
        2,
        "",
        "hipport: src_hip/a.cu: changed by hand and by this conversion, and there is no git to"
        " merge (install git, or overwrite with --force)\n",
    )
    assert read_tree(output(tree))["a.cu"] == BY_HAND
    convert(tree)
    assert read_tree(output(tree))["a.cu"] == BY_HAND + "hipEvent_t e;\n"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"hipport-manifest/2\n",
        b"hipport-manifest/1\nx",
        b"hipport-manifest/1\nx\n",
        b'hipport-manifest/1\n"a.cu"\t[1]\t{}\t\n',
        b"hipport-manifest/1\n" + b"[" * 100_000 + b"\n",
        bytes(range(256)),
    ],
)
def test_a_damaged_manifest_is_told(tree: Path, damage: bytes) -> None:
    (output(tree) / MEMORY / "manifest").write_bytes(damage)
    before = read_tree(output(tree))
    done = convert(tree)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith("hipport: src_hip/.hipport/manifest: damaged (")
    assert done.err.endswith("(convert with --force to start over)\n")
    assert read_tree(output(tree)) == before


# JSON as Python reads it has numbers that are not finite.
ENDLESS_EDITS = b'{"status": "converted", "reason": "", "edits": 1e999, "findings": []}'


@pytest.mark.parametrize("said", [b'{"file": {"path": 1}}', ENDLESS_EDITS])
def test_what_is_said_of_a_file_is_checked(tree: Path, said: bytes) -> None:
    path = output(tree) / MEMORY / "manifest"
    lines = [line.split(b"\t") for line in path.read_bytes().splitlines()]
    for line in lines[1:]:
        line[2] = said
    path.write_bytes(b"\n".join(b"\t".join(line) for line in lines) + b"\n")
    done = convert(tree)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "damaged" in done.err


def pack(tree: Path, new: Callable[[bytes], bytes]) -> None:
    """Change what the manifest stores of the result of the first file."""
    path = output(tree) / MEMORY / "manifest"
    lines = [line.split(b"\t") for line in path.read_bytes().splitlines()]
    lines[1][3] = b2a_base64(new(unpacked(lines[1][3], 1 << 20)), newline=False)
    path.write_bytes(b"\n".join(b"\t".join(line) for line in lines) + b"\n")


def test_what_was_packed_with_zlib_is_read(tree: Path) -> None:
    pack(tree, zlib.compress)
    (output(tree) / "a.cu").write_text(BY_HAND)
    (tree / "a.cu").write_text(CUDA + "cudaEvent_t e;\n")
    assert convert(tree).code == 1
    assert (output(tree) / "a.cu").read_text() == BY_HAND + "hipEvent_t e;\n"


@pytest.mark.parametrize("compress", [zlib.compress, zstd().compress], ids=["zlib", "zstd"])
def test_a_bomb_in_the_manifest_does_not_burst(
    tree: Path, compress: Callable[[bytes], bytes]
) -> None:
    pack(tree, lambda _: compress(bytes(65 << 20)))
    (output(tree) / "a.cu").write_text(BY_HAND)
    (tree / "a.cu").write_text(CUDA + "cudaEvent_t e;\n")
    done = convert(tree)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "a.cu in it is larger than 64 MiB" in done.err


@pytest.mark.slow
def test_killed_at_any_moment_each_file_is_old_or_new(tmp_path: Path) -> None:
    names = [f"f{number:03}.cu" for number in range(120)]
    source = make_tree(tmp_path / "src", dict.fromkeys(names, CUDA))
    assert convert(source) == DONE
    for name in names:
        (source / name).write_text(CUDA + "cudaEvent_t e;\n")
    command = [sys.executable, "-m", "hipport", "convert", "src"]
    process = subprocess.Popen(command, cwd=tmp_path)
    last = output(source) / names[20]
    while process.poll() is None and last.read_text() == HIP:
        pass
    process.kill()
    process.wait()
    found = [(output(source) / name).read_text() for name in names]
    assert set(found) <= {HIP, HIP + "hipEvent_t e;\n"}
    assert convert(source) == DONE
    assert {(output(source) / name).read_text() for name in names} == {HIP + "hipEvent_t e;\n"}


def test_what_an_editor_leaves_beside_the_users_rules_is_no_rule(tree: Path) -> None:
    row = "cuda\tkind\thip\tstatus\ncudaOwnAlloc\tfunction\thipOwnAlloc\tsupported\n"
    make_tree(tree.parent / "rules", {"api/runtime.tsv": row, "notes.txt": ""})
    (tree.parent / "rules/.#notes.txt").symlink_to("me@machine.42")
    (tree.parent / "hipport.toml").write_text('extend-rules = ["rules"]\n', "utf-8")
    assert convert(tree).err == ""
