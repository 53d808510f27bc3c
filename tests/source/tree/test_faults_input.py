"""Trees that make trouble for `convert`, `audit` and `check`: links, names, sizes, changes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from click.testing import CliRunner

from hipport import files
from hipport.commands.convert import command
from hipport.errors import HipportError
from hipport.runs.audit import audit as audit_tree
from hipport.runs.audit_request import AuditRequest
from hipport.source.audit import run_audit
from hipport.source.tree import run_tasks
from tests.support.command import Ran, hipport, make_tree, read_tree, without_summary
from tests.support.faults import obeys_permissions

CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
HIP = "#include <hip/hip_runtime.h>\nint f(void **p) { return hipMalloc(p, 4); }\n"
COMMANDS = pytest.mark.parametrize("name", ["audit", "check"])


def read_only(name: str, tree: Path, *arguments: str, **more: Callable[[], None]) -> Ran:
    """What `audit` or `check` says of a tree; nothing in it may change."""
    before = read_tree(tree)
    done = hipport(name, *arguments, ".", "--format", "text", cwd=tree, **more)  # type: ignore[arg-type]
    assert read_tree(tree) == before
    return done


# What cannot be read


@COMMANDS
def test_files_without_permission(tmp_path: Path, name: str) -> None:
    tree = make_tree(tmp_path / "src", {"a.cu": CUDA, "closed.cu": CUDA, "folder/b.cu": CUDA})
    reference = read_only(name, tree)
    (tree / "closed.cu").chmod(0)
    (tree / "folder").chmod(0)
    try:
        done = hipport(
            name, ".", "--format", "text", "--strict", cwd=tree, before=obeys_permissions
        )
    finally:
        (tree / "folder").chmod(0o755)
    remedy = "Permission denied (check its permissions)"
    assert done.code == 2
    assert done.err.splitlines() == [
        f"hipport: folder: cannot list the folder: {remedy}",
        f"hipport: closed.cu: cannot read: {remedy}",
    ]
    kept = [line for line in reference.out.splitlines() if line.startswith("a.cu:")]
    assert [line for line in done.out.splitlines() if line.startswith("a.cu:")] == kept


@pytest.mark.parametrize("name", ["convert", "audit", "check"])
def test_loops_of_links(tmp_path: Path, name: str) -> None:
    tree = make_tree(tmp_path / "src", {"a/a.cu": "int x;\n"})
    for link, says in {"loop.cu": "loop.cu", "b.cu": "c.cu", "c.cu": "b.cu", "a/up": ".."}.items():
        (tree / link).symlink_to(says)
    before = read_tree(tree)
    done = hipport(name, "src", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert read_tree(tree) == before
    if name == "convert":
        assert read_tree(tmp_path / "src_hip") == before


@COMMANDS
def test_odd_names(tmp_path: Path, name: str) -> None:
    shown = {b"new\nline.cu": r"new\nline.cu", b"bytes\xff.cu": r"bytes\xff.cu"}
    tree = make_tree(tmp_path / "src", {os.fsdecode(each): CUDA for each in shown})
    done = hipport(name, "src", "--format", "json", "--fail-on", "info", cwd=tmp_path)
    assert done.err == ""
    report = json.loads(done.out)
    assert {each["path"] for each in report["files"]} == {f"src/{each}" for each in shown.values()}
    assert read_tree(tree) == {os.fsdecode(each): CUDA for each in shown}


# What changes meanwhile


def test_a_file_that_is_written_to_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path, {"a.cu": CUDA})
    opened = files._opened

    def growing(path: Path) -> BinaryIO:
        file = opened(path)
        read = file.read

        def read_as_it_grows(size: int = -1) -> bytes:
            data = read(size)
            with path.open("ab") as other:
                other.write(b"// more\n")
            return data

        monkeypatch.setattr(file, "read", read_as_it_grows, raising=False)
        return file

    read_bytes = files._read

    def bytes_of_growing(descriptor: int, most: int) -> bytes:
        data = read_bytes(descriptor, most)
        with (tmp_path / "a.cu").open("ab") as other:
            other.write(b"// more\n")
        return data

    monkeypatch.setattr(files, "_opened", growing)
    monkeypatch.setattr(files, "_read", bytes_of_growing)
    said = r"a\.cu: changed while it was read \(run again\)$"
    with pytest.raises(HipportError, match=said):
        files.read(tmp_path / "a.cu", 1 << 20)
    with pytest.raises(HipportError, match=said):
        files.copy(tmp_path / "a.cu", tmp_path / "b.cu")
    assert not (tmp_path / "b.cu").exists()


def test_an_edit_made_while_a_file_is_converted_in_place_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_tree(tmp_path, {"a.cu": CUDA, "b.cu": CUDA})
    convert = run_tasks.convert_source  # type: ignore[attr-defined]

    def edited(data: bytes, path: str, *rest: object, **more: object) -> object:
        if path == "a.cu":
            (tree / path).write_text(CUDA + "// edited\n")
        return convert(data, path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(run_tasks, "convert_source", edited)
    done = CliRunner().invoke(command, ["--in-place", str(tree), "--jobs", "1"])
    said = f"hipport: {tree}/a.cu: changed during the run (run again)\n"
    assert (done.exit_code, done.stdout, without_summary(done.stderr)) == (2, "", said)
    assert read_tree(tree) == {"a.cu": CUDA + "// edited\n", "b.cu": HIP}


def test_a_file_that_goes_away_is_missed_by_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_tree(tmp_path, {"a.cu": CUDA, "b.cu": "int x;\n"})
    handle = run_audit.handle

    def removing(task: run_tasks.Task, *rest: object) -> run_tasks.Outcome:
        task.source.unlink()
        return handle(task, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(run_audit, "handle", removing)
    done = audit_tree(AuditRequest((tree,), isolated=True, jobs=1))
    gone = "cannot read: No such file or directory"
    files = [(each.status, each.reason.partition(" (")[0]) for each in done.report.files]
    assert files == [("skipped", gone)] * 2
    assert done.faults


# What is large


@pytest.mark.slow
def test_a_million_lines(tmp_path: Path) -> None:
    lines = "int x;\n" * 1_000_000
    tree = make_tree(tmp_path / "src", {"a.cu": lines + CUDA, "b.cu": lines})
    assert hipport("convert", "src", cwd=tmp_path) == Ran(0, "", "")
    # A comparison that fails must not show a million lines.
    made = [(tmp_path / "src_hip" / path).read_text() for path in ("a.cu", "b.cu")]
    assert [made[0] == lines + HIP, made[1] == lines] == [True, True]
    for name in ("audit", "check"):
        done = hipport(name, ".", "--format", "text", cwd=tree)
        assert done.err == "hipport: a.cu: larger than 4 MiB, skipped\n"


def little_memory() -> None:
    """256 MiB for what the program allocates; files that are mapped do not count."""
    resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))


@pytest.mark.slow
def test_two_gigabytes(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "src", {"a.cu": "", "b.bin": "\x7fELF", "z.cu": CUDA})
    for name in ("a.cu", "b.bin"):
        os.truncate(tree / name, 2 << 30)
    said = "a.cu: larger than {} MiB (leave it out with --exclude)\n"
    done = hipport("convert", "src", cwd=tmp_path, before=little_memory)
    assert done == Ran(2, "", f"hipport: src/{said.format(64)}")
    for name in ("a.cu", "b.bin"):
        status = (tmp_path / "src_hip" / name).stat()
        assert (status.st_size, status.st_blocks < 10_000) == (2 << 30, True)
    assert (tmp_path / "src_hip/z.cu").read_text() == HIP
    for name in ("audit", "check"):
        done = hipport(name, ".", "--format", "text", cwd=tree, before=little_memory)
        assert done.err == f"hipport: {said.format(16)}"
    done = hipport("fatbin", "list", "b.bin", cwd=tree, before=little_memory)
    assert (done.code, done.out) == (2, "b.bin: ELF file, 2147483648 bytes, no device code\n")


def half_as_much_memory() -> None:
    """128 MiB, of which the program takes some 44 for a few files."""
    resource.setrlimit(resource.RLIMIT_DATA, (128 << 20, 128 << 20))


@pytest.mark.slow
def test_very_many_files(tmp_path: Path) -> None:
    """So many that 7 KiB for each would be too much."""
    names = [f"src/{number // 1000}/{number}.cu" for number in range(12_000)]
    make_tree(tmp_path, dict.fromkeys(names, "int x;\n"))
    make_tree(tmp_path, {"src/z.cu": CUDA})
    for arguments in (["convert"], ["convert", "--in-place"], ["audit"]):
        done = hipport(*arguments, "src", "--jobs", "2", cwd=tmp_path, before=half_as_much_memory)
        assert done.err == ""
    assert (tmp_path / "src/z.cu").read_text() == HIP
    assert (read_tree(tmp_path / "src_hip") == read_tree(tmp_path / "src")) is True


@pytest.mark.slow
@pytest.mark.long
def test_memory_hardly_grows_with_the_number_of_files(tmp_path: Path) -> None:
    """Peak memory of one process for 2,000 and for 8,000 files, each with a finding."""
    few, many = (
        make_tree(
            tmp_path / str(number),
            {f"{each // 100}/{each}.cu": f"{CUDA}// {each}\n" for each in range(number)},
        ).name
        for number in (2_000, 8_000)
    )
    formats = (["audit", "--format", each] for each in ("text", "json", "gitlab", "github"))
    for arguments in (*formats, ["convert"], ["convert"]):
        grown = peak(tmp_path, *arguments, many) - peak(tmp_path, *arguments, few)
        assert grown / (8_000 - 2_000) < 512, arguments


def peak(folder: Path, *arguments: str) -> int:
    """The most memory that a run had, in bytes: getrusage(2) counts KiB."""
    line = [sys.executable, "-m", "hipport", *arguments, "--jobs", "1"]
    process = subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1)
    return used.ru_maxrss << 10
