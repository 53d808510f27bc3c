"""What Windows lacks, hipport does without: tried on a system from which it has been taken away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import make_tree, read_tree, without_summary

# The libraries come with what they need, on Windows as here: they are loaded first, and keep it.
LACKING = """
import asyncio, click, ctypes, filelock, multiprocessing, os, subprocess, sys, tempfile, types
for name in "fcntl grp pty pwd resource syslog termios tty".split():
    sys.modules[name] = None
lacking = types.ModuleType("os")
lacking.__dict__.update(os.__dict__, name="nt")
for name in "O_CLOEXEC O_DIRECTORY O_NONBLOCK O_NOFOLLOW fchmod fchown fork geteuid getuid".split():
    delattr(lacking, name)
sys.modules["os"] = lacking
"""
IMPORT = """
import importlib, json, pkgutil
import hipport
failed = {}
for each in pkgutil.walk_packages(hipport.__path__, "hipport."):
    if each.name.startswith("hipport.tui") or each.name.endswith(("_child", "__main__")):
        continue
    try:
        importlib.import_module(each.name)
    except ImportError as error:
        failed[each.name] = str(error)
print(json.dumps(failed))
"""
RUN = """
sys.argv = ["hipport", *sys.argv[1:]]
from hipport.__main__ import main
main()
"""
HOLD = """
from pathlib import Path
from hipport.locking import Locks
with Locks() as locks:
    locks.hold(map(Path, sys.argv[1].split()), map(Path, sys.argv[2].split()))
    print("held", flush=True)
    sys.stdin.read()
"""
CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"


def environment(folder: Path) -> dict[str, str]:
    """Locked files go into a folder of the test's own."""
    (folder / "temporary").mkdir(exist_ok=True)
    return {**os.environ, "TMPDIR": str(folder / "temporary")}


def run(
    code: str, *arguments: str, cwd: Path, before: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", before + LACKING + code, *arguments],
        cwd=cwd,
        env=environment(cwd),
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_every_module_can_be_imported(tmp_path: Path) -> None:
    done = run(IMPORT, cwd=tmp_path, before="import lief\n")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}


@pytest.mark.parametrize("arguments", [["src"], ["--in-place", "--backup", ".cuda", "src"]])
def test_a_conversion_is_the_same(arguments: list[str], tmp_path: Path) -> None:
    files = dict.fromkeys(["src/a.cu", "src/b/c.cu", "src/notes.txt"], CUDA)
    usual = make_tree(tmp_path / "usual", files)
    lacking = make_tree(tmp_path / "lacking", files)
    command = [sys.executable, "-m", "hipport", "convert", "--jobs", "1", *arguments]
    expected = subprocess.run(command, cwd=usual, capture_output=True, text=True)
    done = run(RUN, "convert", "--jobs", "1", *arguments, cwd=lacking)
    for each in (done, expected):
        assert (each.returncode, each.stdout, without_summary(each.stderr)) == (0, "", "")
    found = {
        name: text for name, text in read_tree(lacking).items() if not name.startswith("temporary/")
    }
    assert found == read_tree(usual)


@pytest.mark.parametrize(
    ("trees", "folders", "arguments", "refused_at"),
    [
        ("src", "", "--in-place src", "src"),
        ("src_hip", "src", "src -o other", None),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                ("src", "", "--in-place src/a", "src"),
                ("src/a", "", "--in-place src", "src"),
                ("src_hip", "src", "src", "src_hip"),
                ("", "src/a", "--in-place src", "src"),
                ("", "src", "--in-place src/z.cu", None),
                ("src/a", "", "--in-place src/z.cu", None),
            )
        ),
    ],
)
def test_two_runs_at_once(
    trees: str, folders: str, arguments: str, refused_at: str | None, tmp_path: Path
) -> None:
    make_tree(tmp_path / "src", dict.fromkeys(["a/a.cu", "z.cu"], CUDA))
    make_tree(tmp_path / "src_hip", {})
    with subprocess.Popen(
        [sys.executable, "-c", LACKING + HOLD, trees, folders],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdin and holder.stdout
        assert holder.stdout.readline() == b"held\n"
        done = run(RUN, "convert", "--jobs", "1", *arguments.split(), cwd=tmp_path)
        holder.kill()
    if refused_at is None:
        assert (done.returncode, without_summary(done.stderr)) == (0, "")
        return
    place = tmp_path / refused_at
    remedy = "run again when it has ended, or stop it"
    assert done.returncode == 2
    assert done.stderr == f"hipport: {place}: another run is at work in this folder ({remedy})\n"
    again = run(RUN, "convert", "--jobs", "1", *arguments.split(), cwd=tmp_path)
    assert (again.returncode, without_summary(again.stderr)) == (0, "")
