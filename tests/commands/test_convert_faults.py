"""What goes wrong: one line that names the file and the remedy, exit code 2, the rest done."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from hipport.commands.convert import command
from tests.support.command import Ran, hipport, make_tree, read_tree, without_summary
from tests.support.faults import mounted, obeys_permissions, small_files

CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
RUNTIME = "#include <hip/hip_runtime.h>\n"
HIP = RUNTIME + "int f(void **p) { return hipMalloc(p, 4); }\n"
BINARY = (
    "binary data, or UTF-16 text, in a source file"
    " (save it as UTF-8, or leave it out with --exclude)"
)
DENIED = "Permission denied (check its permissions)"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with one good file, sorted behind the others of a test."""
    return make_tree(tmp_path / "src", {"z.cu": CUDA})


def told(*lines: str) -> Ran:
    return Ran(2, "", "".join(f"hipport: {line}\n" for line in lines))


def temporary_files(folder: Path) -> list[Path]:
    return list(folder.rglob(".hipport-*"))


# What cannot be read or is no source


def test_lines_that_end_in_carriage_returns_alone(tree: Path) -> None:
    make_tree(tree, {"a.cu": CUDA.replace("\n", "\r"), "b.c": "// mine\rint x;\r"})
    line = (
        "a.cu: its lines end in CR alone (save it with LF or CRLF, or leave it out with --exclude)"
    )
    assert hipport("convert", "src", cwd=tree.parent) == told(f"src/{line}")
    assert read_tree(tree.parent / "src_hip")["z.cu"] == HIP


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF\x02\x01\x01\0cudaMalloc",
        CUDA.encode("utf-16"),
        CUDA.encode("utf-16-le"),
        CUDA.encode("utf-32-be"),
        bytes(range(256)) * 4096,
    ],
    ids=["elf", "utf-16", "utf-16-le", "utf-32-be", "garbage"],
)
def test_a_file_that_is_no_text_is_copied_and_told(tree: Path, content: bytes) -> None:
    make_tree(tree, {"a.cu": content})
    assert hipport("convert", "src", cwd=tree.parent) == told(f"src/a.cu: {BINARY}")
    assert (tree.parent / "src_hip/a.cu").read_bytes() == content
    assert (tree.parent / "src_hip/z.cu").read_text() == HIP
    assert hipport("convert", "--in-place", "src", cwd=tree.parent) == told(f"src/a.cu: {BINARY}")
    assert (tree / "a.cu").read_bytes() == content
    assert (tree / "z.cu").read_text() == HIP


def test_binary_standard_input(tmp_path: Path) -> None:
    assert hipport("convert", "-", cwd=tmp_path, stdin=b"a\0b") == told(f"stdin.cu: {BINARY}")


def test_garbage_without_a_zero_byte_stays_as_it_is(tree: Path) -> None:
    garbage = bytes(1 + number * number * 31 % 255 for number in range(1 << 20))
    make_tree(tree, {"a.cu": garbage})
    assert hipport("convert", "src", cwd=tree.parent) == Ran(0, "", "")
    assert (tree.parent / "src_hip/a.cu").read_bytes() == garbage


def test_a_file_too_large_is_copied_and_told(tree: Path) -> None:
    with (tree / "a.cu").open("wb") as file:
        file.write(CUDA.encode())
        file.truncate((64 << 20) + 1)
    done = hipport("convert", "src", cwd=tree.parent)
    assert done == told("src/a.cu: larger than 64 MiB (leave it out with --exclude)")
    assert (tree.parent / "src_hip/a.cu").stat().st_size == (64 << 20) + 1


def test_unreadable_files(tree: Path) -> None:
    make_tree(tree, {"a.cu": CUDA, "b.txt": "text"})
    for name in ("a.cu", "b.txt"):
        (tree / name).chmod(0)
    done = hipport("convert", "src", cwd=tree.parent, before=obeys_permissions)
    assert done == told(*(f"src/{name}: cannot read: {DENIED}" for name in ("a.cu", "b.txt")))
    assert read_tree(tree.parent / "src_hip") == {"z.cu": HIP}


def test_folders_that_cannot_be_listed(tree: Path) -> None:
    make_tree(tree, {"a/a.cu": CUDA, "b/.gitignore": "*.o\n", "b/b.cu": CUDA})
    (tree / "a").chmod(0)
    (tree / "b/.gitignore").chmod(0)
    try:
        done = hipport("convert", "src", cwd=tree.parent, before=obeys_permissions)
    finally:
        (tree / "a").chmod(0o755)
    assert done == told(
        f"src/a: cannot list the folder: {DENIED}",
        f"src/b/.gitignore: cannot read: {DENIED}",
        f"src/b/.gitignore: cannot read: {DENIED}",
    )
    assert read_tree(tree.parent / "src_hip") == {"b/b.cu": HIP, "z.cu": HIP}


def test_what_is_no_regular_file(tree: Path) -> None:
    """None of them is opened: a FIFO would wait for ever, a device never end."""
    os.mkfifo(tree / "fifo")
    os.mkfifo(tree / "fifo.cu")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tree / "listener.cu"))
    done = hipport("convert", "src", cwd=tree.parent)
    names = ("fifo", "fifo.cu", "listener.cu")
    remedy = "not a regular file (take it out of the tree)"
    assert done == told(*(f"src/{name}: {remedy}" for name in names))
    assert read_tree(tree.parent / "src_hip") == {"z.cu": HIP}
    for given in ("/dev/zero", tree / "fifo.cu"):
        done = hipport("convert", given, "-o", "out", cwd=tree.parent)
        assert done == told(f"{given}: {remedy}")
        assert read_tree(tree.parent / "out") == {}


def test_a_file_that_went_away(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(tree, {"a.cu": CUDA, "b.txt": "text", "link": ""})
    (tree / "link").unlink()
    (tree / "link").symlink_to("z.cu")
    monkeypatch.setattr("hipport.runs.folders.make_folder", lambda _: _remove(tree))
    done = CliRunner().invoke(command, [str(tree), "--jobs", "1"])
    gone = "cannot read: No such file or directory (check its name; it may have gone away)"
    assert (done.exit_code, done.stdout) == (2, "")
    lines = without_summary(done.stderr).splitlines()
    assert lines == [f"hipport: {tree / n}: {gone}" for n in ("a.cu", "b.txt")]
    assert read_tree(tree.parent / "src_hip") == {"link": "-> z.cu", "z.cu": HIP}


def _remove(tree: Path) -> None:
    (tree / "a.cu").unlink()
    (tree / "b.txt").unlink()


@pytest.mark.parametrize("error", [ValueError("two\nlines"), RecursionError("deep"), MemoryError()])
def test_an_internal_error_costs_one_file(
    tree: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    from hipport.source.tree import run_tasks

    convert = run_tasks.convert_source

    def failing(data: bytes, path: str, *rest: object, **more: object) -> object:
        if path == "a.cu":
            raise error
        return convert(data, path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(run_tasks, "convert_source", failing)
    make_tree(tree, {"a.cu": CUDA})
    done = CliRunner().invoke(command, [str(tree), "--jobs", "1"])
    text = str(error).replace("\n", "\\n")
    assert (done.exit_code, done.stdout, without_summary(done.stderr)) == (
        2,
        "",
        f"hipport: {tree}/a.cu: internal error ({type(error).__name__}: {text}), not converted"
        " (please report this)\n",
    )
    assert read_tree(tree.parent / "src_hip") == {"a.cu": CUDA, "z.cu": HIP}


# What cannot be written


def test_write_protected_in_place(tree: Path) -> None:
    make_tree(tree, {"a.cu": CUDA, "b/c.cu": CUDA, "d.c": "int x;\n"})
    for name, mode in (("a.cu", 0o444), ("d.c", 0o444), ("b", 0o555)):
        (tree / name).chmod(mode)
    before = read_tree(tree)
    try:
        done = hipport("convert", "--in-place", "src", cwd=tree.parent, before=obeys_permissions)
    finally:
        (tree / "b").chmod(0o755)
    assert done == told(
        "src/a.cu: write-protected (make it writable first)",
        f"src/b/c.cu: cannot write: {DENIED}",
    )
    assert read_tree(tree) == {**before, "z.cu": HIP}


def test_write_protected_output_folder(tree: Path) -> None:
    make_tree(tree, {"a.cu": CUDA})
    (tree.parent / "out").mkdir(mode=0o555)
    for output in ("out", "out/below"):
        done = hipport("convert", "src", "-o", output, cwd=tree.parent, before=obeys_permissions)
        assert done == told(f"{output}: cannot write into the folder: {DENIED}")
    assert read_tree(tree.parent / "out") == {}


def test_an_output_folder_below_a_file(tree: Path) -> None:
    make_tree(tree.parent, {"file": ""})
    done = hipport("convert", "src", "-o", "file/x", cwd=tree.parent)
    assert done == told(
        "file/x: cannot write into the folder: File exists (check the path and the disk)"
    )


def test_a_folder_where_a_file_is_to_be(tree: Path) -> None:
    make_tree(tree.parent / "src_hip", {"a.cu/x": ""})
    make_tree(tree, {"a.cu": CUDA})
    done = hipport("convert", "src", cwd=tree.parent)
    assert done == told("src_hip/a.cu: cannot write: Is a directory (check the path and the disk)")
    assert read_tree(tree.parent / "src_hip") == {"a.cu/x": "", "z.cu": HIP}


def test_a_limit_on_file_sizes(tree: Path) -> None:
    make_tree(tree, {"a.cu": CUDA * 100, "b.bin": b"x" * 5000})
    make_tree(tree.parent / "src_hip", {"a.cu": "old"})
    done = hipport("convert", "src", cwd=tree.parent, before=small_files)
    remedy = "File too large (raise the limit on file sizes, or choose another place with -o)"
    assert done == told(*(f"src_hip/{name}: cannot write: {remedy}" for name in ("a.cu", "b.bin")))
    assert read_tree(tree.parent / "src_hip") == {"a.cu": "old", "z.cu": HIP}
    before = read_tree(tree)
    done = hipport("convert", "--in-place", "src", cwd=tree.parent, before=small_files)
    assert done == told(f"src/a.cu: cannot write: {remedy}")
    assert read_tree(tree) == {**before, "z.cu": HIP}


def test_a_full_disk(tree: Path) -> None:
    """The limit on file sizes above tells the same where no file system can be mounted."""
    make_tree(tree, {"a.cu": CUDA * 2000, "b.bin": b"x" * 100_000})
    with mounted(tree.parent / "disk", "size=64k") as is_mounted:
        if is_mounted:
            done = hipport("convert", "src", "-o", "disk", cwd=tree.parent)
            remedy = "No space left on device (free some space, or choose another place with -o)"
            names = ("a.cu", "b.bin")
            assert done == told(*(f"disk/{name}: cannot write: {remedy}" for name in names))
            assert read_tree(tree.parent / "disk") == {"z.cu": HIP}


def test_a_disk_that_is_read_only(tree: Path) -> None:
    """Without a mount, the folders above that are closed tell the same."""
    remedy = "Read-only file system (choose another place with -o)"
    with mounted(tree.parent / "disk", "ro") as is_mounted:
        if is_mounted:
            done = hipport("convert", "src", "-o", "disk", cwd=tree.parent)
            assert done == told(f"disk: cannot write into the folder: {remedy}")


def test_a_manifest_that_finds_no_room(tree: Path) -> None:
    """The results stand; the next run takes up from there."""
    chance = random.Random(1)
    lines = ("".join(chance.choices("abcdefghij", k=60)) for _ in range(400))
    make_tree(tree, {f"{number}.txt": "\n".join(islice(lines, 40)) for number in range(10)})
    command = ["convert", "src", "--jobs", "1"]
    done = hipport(*command, cwd=tree.parent, before=small_files)
    remedy = "File too large (raise the limit on file sizes, or choose another place with -o)"
    assert done == told(f"src_hip/.hipport/manifest: cannot write: {remedy}")
    assert temporary_files(tree.parent) == []
    assert hipport(*command, cwd=tree.parent) == Ran(0, "", "")
    assert read_tree(tree.parent / "src_hip") == {**read_tree(tree), "z.cu": HIP}
    assert (tree.parent / "src_hip/.hipport/manifest").stat().st_size > 4096


def test_a_report_that_cannot_be_written(tree: Path) -> None:
    (tree.parent / "r.json").mkdir()
    done = hipport("convert", "src", "--report", "r.json", cwd=tree.parent)
    assert done == told("r.json: cannot write: Is a directory (check the path and the disk)")
    assert (tree.parent / "src_hip/z.cu").read_text() == HIP
    assert temporary_files(tree.parent) == []


@pytest.mark.parametrize("arguments", [["--diff", "src"], ["--check", "src"], ["-"]])
def test_standard_output_that_is_full(tree: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hipport", "convert", *arguments],
            cwd=tree.parent,
            input=CUDA.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    message = "standard output: No space left on device (check the path and the disk)"
    assert (done.returncode, done.stderr.decode()) == (2, f"hipport: {message}\n")


def test_standard_streams_that_are_closed(tree: Path) -> None:
    line = '"$PYTHON" -m hipport convert src >&- 2>&- <&-'
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(["sh", "-c", line], cwd=tree.parent, env=environment, check=False)
    assert done.returncode == 0
    assert read_tree(tree.parent / "src_hip") == {"z.cu": HIP}


def test_a_reader_that_goes_away(tree: Path) -> None:
    make_tree(tree, {"a.cu": CUDA * 5000})
    with subprocess.Popen(
        [sys.executable, "-m", "hipport", "convert", "--diff", "src"],
        cwd=tree.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


# Names that are hard to show


ODD = {
    b"new\nline.cu": r"new\nline.cu",
    b"bytes\xff.cu": r"bytes\xff.cu",
    b"red\x1b[31m.cu": r"red\x1b[31m.cu",
    b"-dash.cu": "-dash.cu",
    b"--in-place": "--in-place",
    "naïve ü.cu".encode(): "naïve ü.cu",
    b"a*[b]?.cu": "a*[b]?.cu",
}


def test_odd_names_are_converted_and_shown_on_one_line(tmp_path: Path) -> None:
    names = {os.fsdecode(name): shown for name, shown in ODD.items()}
    frobnicate = "int f() { return cudaFrobnicate(); }\n"
    source = make_tree(tmp_path / "src", dict.fromkeys(names, CUDA + frobnicate))
    make_tree(source, {f"{name}bad.cu": b"\0" for name in names})
    done = hipport("convert", "src", "--report", "report.json", cwd=tmp_path)
    bad = sorted((f"{name}bad.cu", f"{shown}bad.cu") for name, shown in names.items())
    assert done == told(*(f"src/{shown}: {BINARY}" for _, shown in bad))
    for name in names:
        expected = CUDA if name == "--in-place" else HIP
        assert (tmp_path / "src_hip" / name).read_text() == expected + frobnicate
    report = json.loads((tmp_path / "report.json").read_bytes().decode("utf-8"))
    assert {each["path"] for each in report["files"]} == {
        shown for name, shown in (*names.items(), *bad)
    }
    assert all(each["path"].isprintable() for each in report["findings"])


def test_an_odd_name_as_an_argument(tmp_path: Path) -> None:
    make_tree(tmp_path, {"-a.cu": CUDA})
    assert hipport("convert", "--", "-a.cu", cwd=tmp_path) == Ran(0, "", "")
    assert (tmp_path / "-a_hip.cu").read_text() == HIP
    done = hipport("convert", b"no\nwhere\xff", cwd=tmp_path)
    assert done == told(r"no\nwhere\xff: no such file or folder (check the path)")
