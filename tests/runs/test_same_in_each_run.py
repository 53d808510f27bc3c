"""What is written does not depend on the order of Python's sets, which is another in each run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import CHECKOUT

# Its renames are made in the order of a set.
HOST = """from there import DRIVER
PREFIX = '''
#define __device__
inline int atomicMax(int *p, int v) { return *p = v; }
inline int atomicAdd(int *p, int v) { return *p += v; }
'''
text = f'''
__global__ void k(int *p) { atomicExch(p, 1); cudaDeviceSynchronize(); cudaFree(p); {DRIVER} }
'''
"""


def written(tree: Path, out: Path, seed: int, *command: str) -> dict[str, bytes]:
    """What a run with a seed writes: the report, and files by name."""
    subprocess.run(
        [sys.executable, "-m", "hipport", *command, "--fail-on", "never", "--isolated"],
        cwd=tree,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        check=True,
        capture_output=True,
    )
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", ["convert", "audit"])
def test_all_fixtures(tmp_path: Path, command: str) -> None:
    tree = CHECKOUT / "fixtures/source"
    found = []
    for seed in (1, 2, 3):
        out = tmp_path / "out"
        out.mkdir()
        report = str(out / "report.json")
        if command == "convert":
            more = ("convert", ".", "-o", str(out / "made"), "--report", report, "--explain")
        else:
            more = ("audit", "report", "--format", "json", "-o", report)
        found.append(written(tree, out, seed, *more))
        out.rename(tmp_path / f"out{seed}")
    assert found[0] == found[1] == found[2]


def test_kernels_in_python(tmp_path: Path) -> None:
    (tmp_path / "host.py").write_text(HOST)
    found = []
    for seed in range(1, 7):
        out = tmp_path / f"out{seed}"
        out.mkdir()
        report = ("--report", str(out / "report.json"))
        found.append(written(tmp_path, out, seed, "convert", "host.py", "-o", str(out), *report))
    assert all(each == found[0] for each in found)
