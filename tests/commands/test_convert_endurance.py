"""Long lines, deep trees, interrupted runs: nothing is lost and nothing stays behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.command import Ran, hipport, make_tree

CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
RUNTIME = "#include <hip/hip_runtime.h>\n"
HIP = RUNTIME + "int f(void **p) { return hipMalloc(p, 4); }\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with one good file, sorted behind the others of a test."""
    return make_tree(tmp_path / "src", {"z.cu": CUDA})


def temporary_files(folder: Path) -> list[Path]:
    return list(folder.rglob(".hipport-*"))


# What takes long or goes deep


@pytest.mark.slow
def test_a_line_of_five_megabytes(tree: Path) -> None:
    line = "int x; " * 700_000
    make_tree(tree, {"a.cu": f"{line}cudaEvent_t e;\n"})
    assert hipport("convert", "src", cwd=tree.parent) == Ran(0, "", "")
    assert (tree.parent / "src_hip/a.cu").read_text() == f"{RUNTIME}{line}hipEvent_t e;\n"


@pytest.mark.parametrize("pair", ["()", "{}", "[]", "<>"])
def test_code_nested_deeply(tree: Path, pair: str) -> None:
    depth = 100_000
    text = f"{pair[0] * depth} cudaEvent_t {pair[1] * depth}\n"
    make_tree(tree, {"a.cpp": text})
    done = hipport("convert", "src", cwd=tree.parent)
    assert done == Ran(0, "", "")
    expected = text.replace("cudaEvent_t", "hipEvent_t")
    assert (tree.parent / "src_hip/a.cpp").read_text() == expected


@pytest.fixture
def deep_tree(tree: Path) -> Iterator[Path]:
    """A path that is nearly as long as Linux allows: 4096 bytes."""
    here = os.open(tree, os.O_RDONLY)
    for _ in range(DEPTH):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("deep.cu", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    yield tree
    # What pytest itself would delete it with fails at that depth.
    subprocess.run(["rm", "-rf", "src", "src_hip"], cwd=tree.parent, check=True)


DEPTH = 1500


@pytest.mark.slow
def test_folders_nested_deeply(deep_tree: Path) -> None:
    assert hipport("convert", "src", cwd=deep_tree.parent) == Ran(0, "", "")
    assert (deep_tree.parent / "src_hip" / ("d/" * DEPTH) / "deep.cu").exists()


# Interrupted


@pytest.fixture
def long_run(tree: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A conversion by two processes that has begun to write."""
    make_tree(tree, {f"{number}.cu": CUDA * 1000 for number in range(40)})
    with subprocess.Popen(
        [sys.executable, "-m", "hipport", "convert", "src", "--jobs", "2"],
        cwd=tree.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while not any((tree.parent / "src_hip").glob("*.cu")):
            assert process.poll() is None
        yield process


@pytest.mark.slow
def test_an_interrupt(tree: Path, long_run: subprocess.Popen[bytes]) -> None:
    os.killpg(long_run.pid, signal.SIGINT)
    out, error = long_run.communicate()
    assert (long_run.returncode, out) == (130, b"")
    went_on = rb"hipport: \d+ of 41 files were done; the same command goes on from there\n"
    assert re.fullmatch(rb"\n?(?:%s)?\n?hipport: interrupted\n" % went_on, error)
    assert whole(tree.parent / "src_hip")
    assert temporary_files(tree.parent) == []


INTERRUPTED = """
from hipport import __main__
def interrupt():
    raise KeyboardInterrupt
def run(arguments):
    eval("interrupt()")
__main__._run = run
__main__.program()
"""


def test_an_interrupt_while_a_string_is_evaluated() -> None:
    """Python itself would end by the signal, though the interrupt was caught."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"hipport: interrupted\n")


@pytest.mark.slow
def test_a_process_that_is_killed(tree: Path, long_run: subprocess.Popen[bytes]) -> None:
    while (killed := youngest(long_run.pid)) == long_run.pid:
        assert long_run.poll() is None  # The first files are converted before there are others.
    os.kill(killed, signal.SIGKILL)
    out, error = long_run.communicate()
    reason = "a process was killed, perhaps for want of memory; not all files were converted"
    message = f"hipport: {reason} (run again with fewer --jobs)\n"
    assert (long_run.returncode, out, error.decode()) == (2, b"", message)
    assert whole(tree.parent / "src_hip")


def youngest(session: int) -> int:
    """The process of a session that was started last: one of those that convert."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:  # proc(5): (6) session
                found.append(int(path.parent.name))
    return max(found)


def whole(folder: Path) -> bool:
    """Whether each result of the long run is complete."""
    texts = {path.read_text() for path in folder.glob("[0-9]*.cu")}
    return texts == {RUNTIME + HIP.removeprefix(RUNTIME) * 1000}
