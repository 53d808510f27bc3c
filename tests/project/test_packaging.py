"""The built packages, installed with their dependencies into clean environments elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from itertools import product
from pathlib import Path

import pytest

from tests.support.command import make_tree
from tests.support.environments import make_environment
from tests.support.folders import CHECKOUT

BAD = "#include <cuda_runtime.h>\nint main() { return cudaFree(0); }\n"
RULE = (
    'id = "ACME-SYNC-001"\nseverity = "manual"\ntitle = "Sync"\nmessage = "`{symbol}` stalls"\n'
    'names = ["cudaFree"]\n[[bad]]\nfile = "a.cpp"\ncode = "int x = cudaFree(0);"\n'
    '[[good]]\nfile = "a.cpp"\ncode = "int x;"\n'
)
# Command and exit code, then a text that its output has.
WORKS = [
    (["--version"], 0, "rules of 2"),
    (["convert", "--diff", "a.cpp"], 0, "+int main() { return hipFree(0); }"),
    (["audit", "--format", "html", "--fail-on", "never", "a.cpp"], 0, "<html"),
    (["audit", "--format", "sarif", "--fail-on", "never", "a.cpp"], 0, '"version": "2.1.0"'),
    (["check", "a.cpp"], 1, "HP-PORT-001"),
    (["config", "--config", "my.toml"], 0, '["my-rules/"]'),
    (["audit", "--config", "my.toml", "--select", "ACME", "a.cpp"], 1, "ACME-SYNC-001"),
    (["rules", "check"], 0, "The rules are consistent."),
    (["rules", "test"], 0, "need the source tree's fixtures): all as they should be"),
    (["rules", "test", "my-rules"], 0, "2 examples of 1 finding: all as they should be"),
    (["fatbin", "list", "lib.so"], 0, "hipv4-amdgcn-amd-amdhsa--gfx90a"),
    (["fatbin", "kernels", "lib.so"], 0, "gfx1100"),
    (["man"], 0, ".TH HIPPORT 1"),
    (["completion", "bash"], 0, "_HIPPORT_COMPLETE=bash_complete"),
]
SOME = 5


def built(folder: Path, *arguments: str) -> Path:
    """The one file that a build leaves in a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder, *arguments]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True)
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"), "-t", "wheel")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("sdist"), "-t", "sdist")


def shipped() -> set[str]:
    """The files of the program and its rules that version control has, as the wheel names them."""
    listed = ["git", "ls-files", "-z", "--", "hipport", "rules"]
    names = subprocess.check_output(listed, cwd=CHECKOUT, text=True).split("\0")
    there = (name for name in names if name and (CHECKOUT / name).is_file())
    return {name if name.startswith("hipport/") else f"hipport/{name}" for name in there}


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_program_and_the_rules(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert shipped() - names == set()
    assert {"hipport/py.typed", "hipport/config.schema.json"} <= names
    (entry,) = (name for name in names if name.endswith("entry_points.txt"))
    with zipfile.ZipFile(wheel) as archive:
        assert "hipport = hipport.__main__:program" in archive.read(entry).decode()
    assert not [name for name in names if name.startswith(("tests/", "fixtures/", "docs/"))]


@pytest.mark.slow
def test_the_source_distribution_makes_the_same_wheel(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "out"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (again,) = (folder / "out").iterdir()
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as two:
        assert set(one.namelist()) == set(two.namelist())
        assert all(one.read(name) == two.read(name) for name in shipped())


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("source", ["wheel", "checkout"])
def test_it_works_in_a_clean_environment(
    source: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    what = request.getfixturevalue("wheel") if source == "wheel" else CHECKOUT
    python = make_environment(tmp_path / "venv", what) / "python"
    library = CHECKOUT / "fixtures/binary/elf-plain/libplain.so"
    files: dict[str, str | bytes] = {
        "a.cpp": BAD,
        "lib.so": library.read_bytes(),
        "my.toml": 'extend-rules = ["my-rules/"]\n',
        "my-rules/checks/ACME-SYNC-001.toml": RULE,
    }
    folder = make_tree(tmp_path / "elsewhere", files)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    program, module = [tmp_path / "venv/bin/hipport"], [python, "-m", "hipport"]
    # Both make the same wheel: a part is enough of the other, and of the other way to start it.
    works = WORKS if source == "wheel" else WORKS[:SOME]
    runs = [*product([program], works), *product([module], WORKS[:SOME])]
    for start, (arguments, code, wanted) in runs:
        done = subprocess.run(
            [*start, *arguments], cwd=folder, env=environment, capture_output=True, text=True
        )
        told = (start, arguments, done.stdout, done.stderr)
        assert (done.returncode, wanted in done.stdout) == (code, True), told
    where = [python, "-c", "import hipport; print(hipport.__file__)"]
    assert str(tmp_path) in subprocess.check_output(where, cwd=folder, env=environment, text=True)


@pytest.mark.real
@pytest.mark.slow
def test_pipx_and_uvx_install_it(wheel: Path, tmp_path: Path) -> None:
    tools = make_environment(tmp_path / "tools", "pipx", "uv")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment |= {
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_BIN_DIR": str(tmp_path / "bin"),
        "UV_CACHE_DIR": str(tmp_path / "uv"),
    }
    install = [tools / "pipx", "install", "--quiet", wheel]
    subprocess.run(install, cwd=tmp_path, env=environment, check=True, timeout=570)
    for program in ([tmp_path / "bin/hipport"], [tools / "uvx", "--from", wheel, "hipport"]):
        for arguments, wanted in ((["--version"], "rules of 2"), (["help"], "tutorial ")):
            shown = subprocess.check_output(
                [*program, *arguments], cwd=tmp_path, env=environment, text=True, timeout=570
            )
            assert wanted in shown, program
