"""The examples of the page about many machines, run as they are on clusters of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree, read_tree
from tests.support.environments import make_environment
from tests.support.fetch import cache_folder
from tests.support.folders import CHECKOUT

PACKAGES = ("dask==2026.8.0", "distributed==2026.8.0", "ray==2.60.0")
TREE = {
    **{f"lib/{n}.cuh": f"inline int f{n}() {{ return cudaSuccess; }}\n" for n in range(6)},
    **{f"{n}.cu": f'#include "lib/{n}.cuh"\nint g{n}() {{ cudaFree(0); }}\n' for n in range(6)},
}


@cache
def clusters() -> Path:
    """The Python of an environment in the cache that has Dask and Ray."""
    name = "clusters-" + "-".join(each.partition("==")[2] for each in PACKAGES)
    folder = cache_folder() / f"{name}-{sys.version_info.major}.{sys.version_info.minor}"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        make_environment(folder, *PACKAGES)
        (folder / "done").touch()
    return folder / "bin/python"


def examples(language: str) -> list[str]:
    page = (CHECKOUT / "docs/how-to/many-machines.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def whole(tmp_path: Path) -> dict[str, str]:
    """What one run makes of the tree that lies in `src`."""
    make_tree(tmp_path / "src", TREE)
    hipport("convert", "src", "-o", "whole", cwd=tmp_path)
    return read_tree(tmp_path / "whole")


def run(command: list[str], folder: Path, **more: str) -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "RAY_USAGE_STATS_ENABLED": "0", **more}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.real
@pytest.mark.parametrize(("number", "package"), [(0, "dask"), (1, "ray")])
def test_a_cluster_of_this_machine(
    number: int, package: str, tmp_path: Path, whole: dict[str, str]
) -> None:
    text = examples("python")[number]
    assert package in text.splitlines()[1]
    (tmp_path / "port.py").write_text(text, encoding="utf-8")
    run([str(clusters()), "port.py"], tmp_path)
    assert read_tree(tmp_path / "src_hip") == whole
    assert sorted(each.name for each in (tmp_path / "parts").iterdir()) == ["1", "2", "3", "4"]


def test_the_script_for_slurm(tmp_path: Path, whole: dict[str, str]) -> None:
    """Each task of an array is the script with its number, and the number of tasks, set."""
    array, joining = examples("sh")
    assert "#SBATCH --array=1-16" in array
    for number in ("1", "2", "3"):
        numbers = {"SLURM_ARRAY_TASK_ID": number, "SLURM_ARRAY_TASK_COUNT": "3"}
        run(["bash", "-c", array], tmp_path, **numbers)
    (command,) = re.findall("--wrap '(.*)'", joining)
    run(["bash", "-c", command], tmp_path)
    assert read_tree(tmp_path / "src_hip") == whole
