"""The client for Visual Studio Code is built as docs/editors.md says."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.real
@pytest.mark.slow
def test_the_package_is_built(tmp_path: Path) -> None:
    for name in ("editors", "Makefile", "pyproject.toml"):
        source = CHECKOUT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("node_modules", "out")
            shutil.copytree(source, tmp_path / name, ignore=ignored)
        else:
            shutil.copy(source, tmp_path / name)
    subprocess.run(["make", "vscode"], cwd=tmp_path, check=True, capture_output=True, timeout=590)
    with zipfile.ZipFile(tmp_path / "build/hipport-vscode.vsix") as package:
        names = set(package.namelist())
        described = json.loads(package.read("extension/package.json"))
        program = package.read("extension/out/extension.js").decode()
    assert {name for name in names if name.startswith("extension/")} == {
        "extension/package.json",
        "extension/readme.md",
        "extension/out/extension.js",
    }
    assert described["main"] == "./out/extension.js"
    assert "hipport.auditWorkspace" in program and "--isolated" in program


def test_what_the_lock_file_names_is_in_no_particular_registry() -> None:
    locked = (CHECKOUT / "editors/vscode/package-lock.json").read_text("utf-8")
    assert '"resolved"' not in locked
    assert json.loads(locked)["packages"][""]["dependencies"].keys() == {"vscode-languageclient"}
