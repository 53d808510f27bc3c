"""The programs of `fixtures/cuda` against the HIP headers that a Python package carries."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from hipport.commands.verify import command
from hipport.verification import hip_headers
from hipport.verification.hip_headers import find_headers
from tests.support.command import hipport
from tests.support.cuda_programs import FOLDER
from tests.support.fetch import fetch
from tests.support.folders import CHECKOUT

pytestmark = [pytest.mark.real, pytest.mark.toolchain, pytest.mark.slow]

WHEEL = (
    "triton",
    "3.9.0",
    "triton-3.9.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
    "1622118a038b0c6e16fa4a0305da62c8b3c15904ee1cc4d4e65846a25969e41e",
)
# Programs that need HIP's own headers alone.
PROGRAMS = (
    "atomics",
    "device_lambdas",
    "graph_nodes",
    "launch_forms",
    "streams",
    "symbols",
    "warp_intrinsics",
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the headers, of a package that is installed on a machine without ROCm."""
    with zipfile.ZipFile(fetch(*WHEEL)) as wheel:
        wanted = [name for name in wheel.namelist() if name.startswith("triton/backends/amd/inc")]
        wheel.extractall(tmp_path / "site", [*wanted, "triton/__init__.py"])
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delenv("ROCM_PATH", raising=False)
    monkeypatch.setattr(hip_headers, "_SYSTEM", tmp_path / "nothing")
    monkeypatch.setattr(hip_headers, "find_program", lambda _: None)
    return tmp_path / "site/triton/backends/amd/include"


def test_the_headers_of_an_installed_package(package: Path, tmp_path: Path) -> None:
    assert find_headers(None) == (package, (7, 1), "the Python package triton")
    made = ["convert", "--rocm", "7.1", "--fail-on", "never", "-o", tmp_path / "out", FOLDER]
    assert hipport(*made, cwd=CHECKOUT).code == 0
    paths = [str(tmp_path / "out" / each) for each in PROGRAMS]
    ran = CliRunner().invoke(command, ["-v", "--jobs", "2", "--targets", "gfx942", *paths])
    assert f"HIP headers: 7.1, {package} (by the Python package triton)\n" in ran.stderr
    assert ran.exit_code == 0, ran.output
    units = len(PROGRAMS)
    assert f"hipport: {units} units: {units} compile\n" in ran.stderr
    assert ran.stdout == f"0 findings in {units} files\n"
    # What the package lacks, the compiler takes from Debian's HIP.
    lacking = str(tmp_path / "out" / "cooperative_groups_tiles")
    told = CliRunner().invoke(command, ["--jobs", "1", lacking]).stdout.splitlines()[0]
    assert told.endswith(f"; HIP 7.1 in {package} and HIP 5.2 in /usr/include are mixed")
