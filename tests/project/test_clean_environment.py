"""The wheel in an environment of its own does what the pages say: in editors, builds, scripts."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig

from tests.cmake.test_recipes import MESON
from tests.lsp.editor import begin, findings, make_client, open_text
from tests.support.command import make_tree
from tests.support.debian_rocm import cmake_options, environment, make_root
from tests.support.environments import make_environment
from tests.support.fetch import fetch
from tests.support.folders import CHECKOUT
from tests.test_notebook import CELL, SCRIPT
from tests.torch.installed import torch_folder

pytestmark = [pytest.mark.toolchain, pytest.mark.slow, pytest.mark.real]

EXAMPLE = CHECKOUT / "docs/examples/build-hip"
HOOKED = (
    "import torch.utils.cpp_extension\n"
    "from torch.utils.hipify import hipify_python\n"
    "print(hasattr(hipify_python.hipify, '_replaced_by_hipport'))\n"
)


class Clean(NamedTuple):
    """A virtual environment with the wheel, and a ROCm folder."""

    programs: Path
    rocm: Path
    variables: dict[str, str]

    def run(self, folder: Path, *command: str | Path, **variables: str) -> str:
        """What a command prints, which succeeds."""
        done = subprocess.run(
            command,
            cwd=folder,
            env=self.variables | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout[-3000:]
        return done.stdout


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    folder = tmp_path_factory.mktemp("clean")
    rocm = make_root(folder / "rocm")
    programs = folder / "venv/bin"
    flags = f"--rocm-path={rocm} --offload-arch=gfx90a"
    variables = {
        **environment(rocm),
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(folder),
        "HIPFLAGS": flags,
        "HIPCC_COMPILE_FLAGS_APPEND": flags,
    }
    variables = {name: each for name, each in variables.items() if not name.startswith("PYTHON")}
    made = Clean(programs, rocm, variables)
    made.run(CHECKOUT, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (wheel,) = folder.glob("*.whl")
    make_environment(folder / "venv", f"{wheel}[lsp]", "ipython", variables=variables)
    return made


def test_cmake_finds_the_package_and_its_program(clean: Clean, tmp_path: Path) -> None:
    package = clean.run(tmp_path, "hipport", "cmake-dir").strip()
    shutil.copytree(EXAMPLE, tmp_path / "scale")
    options = ["-DUSE_HIP=ON", "-DCMAKE_HIP_ARCHITECTURES=gfx90a", f"-Dhipport_DIR={package}"]
    options += cmake_options(clean.rocm)
    clean.run(tmp_path, "cmake", "-G", "Ninja", "-S", "scale", "-B", "build", *options)
    clean.run(tmp_path, "cmake", "--build", "build")
    assert b"gfx90a" in (tmp_path / "build/app").read_bytes()
    assert "no work to do" in clean.run(tmp_path, "cmake", "--build", "build")
    cache = (tmp_path / "build/CMakeCache.txt").read_text()
    assert f"HIPPORT_EXECUTABLE:FILEPATH={clean.programs}/hipport\n" in cache


def test_make(clean: Clean, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "scale")
    clean.run(tmp_path / "scale", "make")
    assert b"gfx90a" in (tmp_path / "scale/build/app").read_bytes()
    assert "hipcc" not in clean.run(tmp_path / "scale", "make")


def test_meson(clean: Clean, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "scale")
    meson = ("python", "-m", "mesonbuild.mesonmain", "setup", "build")
    clean.run(tmp_path / "scale", *meson, PYTHONPATH=str(fetch(*MESON)))
    again = ("ninja", "-C", "build")
    assert "Generating" in clean.run(tmp_path / "scale", *again, PYTHONPATH=str(fetch(*MESON)))
    assert b"gfx90a" in (tmp_path / "scale/build/app").read_bytes()
    assert "no work to do" in clean.run(tmp_path / "scale", *again)


def test_the_language_server(clean: Clean, tmp_path: Path) -> None:
    async def reported() -> list[types.Diagnostic]:
        client = await ClientServerConfig(
            [str(clean.programs / "hipport"), "lsp"], client_factory=make_client
        ).start()
        await begin(client, tmp_path)
        found = await findings(client, open_text(client, tmp_path / "a.cu", CELL))
        await client.shutdown_session()
        await client.stop()
        return found

    assert "HP-MEM-009" in {each.code for each in asyncio.run(reported())}


def test_a_cell_of_a_notebook(clean: Clean, tmp_path: Path) -> None:
    shown = clean.run(tmp_path, "python", "-c", SCRIPT.format(line="", cell=CELL))
    assert "hipFree(p);" in shown and "HP-API-001" in shown


def test_the_schema_of_the_configuration(clean: Clean, tmp_path: Path) -> None:
    schema = json.loads(clean.run(tmp_path, "hipport", "config", "--schema"))
    jsonschema.Draft7Validator.check_schema(schema)
    page = (CHECKOUT / "docs/configuration.md").read_text("utf-8")
    (entry,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert json.loads(entry)["url"] == schema["$id"]


def test_a_build_script(clean: Clean, tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/scan.cu": CELL})
    page = (CHECKOUT / "docs/python-api.md").read_text("utf-8")
    commands = re.findall(r"^python -m hipport\.convert .*", page, re.MULTILINE)
    for command in commands:
        clean.run(tmp_path, "sh", "-c", f"{command} --fail-on never")
    made = [tmp_path / each for each in ("build/hip/scan.cu", "build/scan.hip")]
    assert len(commands) == len(made)
    assert all("hipFree(p);" in each.read_text() for each in made)


def test_findings_for_reviewdog(clean: Clean, tmp_path: Path) -> None:
    """Its two inputs as the page makes them; the program is in no package index."""
    make_tree(tmp_path, {"src/scan.cu": CELL})
    page = (CHECKOUT / "docs/ci.md").read_text("utf-8")
    (part,) = re.findall(r"^## reviewdog(.*?)^## ", page, re.DOTALL | re.MULTILINE)
    sarif, text = re.findall(r"^\$ (hipport [^|\n]*)", part, re.MULTILINE)
    clean.run(tmp_path, "sh", "-c", sarif)
    (ran,) = json.loads((tmp_path / "hipport.sarif").read_text())["runs"]
    places = [each["locations"][0]["physicalLocation"] for each in ran["results"]]
    found = {(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in places}
    # The error format %f:%l:%c: %m takes the lines that it matches, and leaves out the others.
    lines = re.findall(r"^([^:\n]+):(\d+):\d+: .", clean.run(tmp_path, "sh", "-c", text), re.M)
    assert found == {(file, int(line)) for file, line in lines}
    assert found == {("src/scan.cu", 2), ("src/scan.cu", 3)}


def test_the_step_of_pytorch(clean: Clean, tmp_path: Path) -> None:
    """For all builds of the environment, and no longer."""
    torch = {"PYTHONPATH": str(torch_folder())}

    def is_hooked() -> bool:
        return clean.run(tmp_path, "python", "-c", HOOKED, **torch).endswith("True\n")

    assert not is_hooked()
    clean.run(tmp_path, "python", "-m", "hipport.torch", "install", **torch)
    assert is_hooked()
    clean.run(tmp_path, "python", "-m", "hipport.torch", "uninstall", **torch)
    assert not is_hooked()
