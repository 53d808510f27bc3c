"""Two runs of `hipport convert` at once: the second is told which one is in its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.locking import Locks
from tests.support.command import Ran, hipport, make_tree, read_tree
from tests.support.sessions import wait_for_session

CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
HIP = "#include <hip/hip_runtime.h>\nint f(void **p) { return hipMalloc(p, 4); }\n"
_CALL = HIP.partition("\n")[2]
DONE = Ran(0, "", "")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = dict.fromkeys(["a/a.cu", "a/b/c.cu", "z.cu"], CUDA)
    return make_tree(tmp_path / "src", files)


def refused(folder: Path, process: int) -> Ran:
    remedy = "run again when it has ended, or stop it"
    holder = f"another run (process {process}) is at work in this folder"
    return Ran(2, "", f"hipport: {folder}: {holder} ({remedy})\n")


@pytest.mark.parametrize(
    ("trees", "folders", "arguments", "at"),
    [
        # In place: the tree, one around it, one in it, a file of it, a copy made of it.
        (["src"], [], "--in-place src", "src"),
        (["src"], [], "--in-place src/a", "src"),
        (["src/a"], [], "--in-place src", "src"),
        (["src"], [], "--in-place src/a/b/c.cu", "src"),
        (["src"], [], "src/a -o out", "src"),
        (["src"], [], "src/a/a.cu", "src"),
        # Into a folder, which the run makes if need be.
        (["src_hip"], ["src"], "src", "src_hip"),
        (["src_hip"], ["src"], "src/a -o src_hip", "src_hip"),
        (["src_hip"], ["src"], "src/a -o src_hip/a", "src_hip"),
        (["src_hip"], ["src"], "src/z.cu -o src_hip", "src_hip"),
        (["src_hip"], ["src"], "--in-place src", "src"),
        ([], ["src/a"], "--in-place src", "src"),
    ],
)
def test_a_run_in_the_way(
    tree: Path, trees: list[str], folders: list[str], arguments: str, at: str
) -> None:
    here = tree.parent
    make_tree(here / "src_hip", {"z.cu": "old"})
    before = read_tree(here)
    with Locks() as locks:
        locks.hold((here / each for each in trees), (here / each for each in folders))
        done = hipport("convert", *arguments.split(), cwd=here)
    assert done == refused(here / at, os.getpid())
    assert read_tree(here) == before
    assert hipport("convert", *arguments.split(), cwd=here).code == 0


@pytest.mark.parametrize(
    ("trees", "folders", "arguments"),
    [
        (["src"], [], "--check src/z.cu"),
        (["src"], [], "--diff src"),
        (["src_hip"], ["src"], "src -o other"),
        (["src/a"], [], "--in-place src/z.cu"),
        ([], ["src"], "--in-place src/z.cu"),
        ([], ["src"], "src"),
    ],
)
def test_runs_that_do_not_hinder_each_other(
    tree: Path, trees: list[str], folders: list[str], arguments: str
) -> None:
    here = tree.parent
    make_tree(here / "src_hip", {})
    with Locks() as locks:
        locks.hold((here / each for each in trees), (here / each for each in folders))
        assert hipport("convert", *arguments.split(), cwd=here)[::2] in ((0, ""), (1, ""))


def test_an_output_above_its_input(tree: Path) -> None:
    """A run is not in its own way."""
    assert hipport("convert", "src", "-o", ".", cwd=tree.parent) == DONE
    assert (tree.parent / "z.cu").read_text() == HIP


@pytest.mark.slow
def test_a_real_run_holds_its_output_until_it_is_killed(tree: Path) -> None:
    make_tree(tree, {f"{number}.cu": CUDA * 1000 for number in range(40)})
    output = tree.parent / "src_hip"
    command = [sys.executable, "-m", "hipport", "convert", "src", "--jobs", "2"]
    with subprocess.Popen(command, cwd=tree.parent, start_new_session=True) as process:
        while not any(output.glob("*.cu")):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGSTOP)
        done = hipport("convert", "src", cwd=tree.parent)
        os.killpg(process.pid, signal.SIGKILL)
    wait_for_session(process.pid)
    assert done == refused(output, process.pid)
    assert hipport("convert", "src", cwd=tree.parent) == DONE
    assert {path.read_text() for path in output.glob("[0-9]*.cu")} == {HIP + _CALL * 999}


@pytest.mark.slow
def test_many_folders_do_not_use_up_the_descriptors(tmp_path: Path) -> None:
    names = [f"src/{number}/a.cu" for number in range(1100)]
    make_tree(tmp_path, dict.fromkeys(names, CUDA))
    assert hipport("convert", "--in-place", *names, cwd=tmp_path) == DONE
    assert {path.read_text() for path in tmp_path.rglob("*.cu")} == {HIP}
