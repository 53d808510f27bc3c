"""The cell magic, in IPython as it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import hipport
from tests.support.command import hipport as run

CELL = "void release(float *p) {\n  cudaFree(p);\n  cudaCtxResetPersistingL2Cache();\n}\n"
SCRIPT = """\
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output
shell = start_ipython()
shell.run_line_magic("load_ext", "hipport")
with capture_output() as shown:
    shell.run_cell_magic("hipport", {line!r}, {cell!r})
print(shown.outputs[0].data["text/plain"] if shown.outputs else "", "|", shown.stdout, shown.stderr)
"""


def cell(folder: Path, line: str, text: str = CELL) -> tuple[str, str]:
    """What a cell displays, and what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(line=line, cell=text)],
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    displayed, _, printed = done.stdout.partition("|")
    return displayed.strip(), printed.strip()


def test_a_cell_is_shown_as_hip(tmp_path: Path) -> None:
    displayed, printed = cell(tmp_path, "-o release.hip")
    wanted = hipport.convert(CELL.encode(), "cell.cu").data.decode()
    assert displayed == wanted.strip()
    assert (tmp_path / "release.hip").read_text() == wanted
    assert printed.startswith("cell.cu:3:3: manual HP-API-001 `cudaCtxResetPersistingL2Cache`")


def test_a_cell_is_audited_by_its_configuration(tmp_path: Path) -> None:
    displayed, printed = cell(tmp_path, "--audit")
    assert displayed == ""
    assert "cell.cu:3:3: info HP-MEM-009" in printed
    (tmp_path / "hipport.toml").write_text('ignore = ["HP"]\n')
    assert cell(tmp_path, "--audit") == ("", "")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cell.qqq", "hipport: --stdin-filename cell.qqq: not a source file's name"),
        ("--wrong", "No such option"),
        ("'", "hipport: No closing quotation"),
    ],
)
def test_a_wrong_line_is_said(tmp_path: Path, line: str, said: str) -> None:
    displayed, printed = cell(tmp_path, line)
    assert displayed == "" and said in printed and "Traceback" not in printed


def test_the_schema_for_editors(tmp_path: Path) -> None:
    schema = json.loads(run("config", "--schema", cwd=tmp_path).out)
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["$id"] == "https://json.schemastore.org/hipport.json"
    valid = {"rocm": "6.4", "severity": {"HP-WARP": "info"}, "per-file-ignores": {"a/": ["HP"]}}
    check = jsonschema.Draft7Validator(schema)
    assert check.is_valid(valid)
    assert not check.is_valid({"lunch": "ggl"}) and not check.is_valid({"launch": "gg"})
    missing = [key for key, value in schema["properties"].items() if not value.get("description")]
    assert missing == []


@pytest.mark.parametrize("program", [("hipport", "convert"), ("hipport.convert",)])
def test_a_build_script_runs_the_program(program: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/scan.cu").write_text(CELL)
    command = [sys.executable, "-m", *program, "--quiet", "--fail-on", "never"]
    subprocess.run([*command, "-o", "build/hip", "src/"], cwd=tmp_path, check=True)
    assert "hipFree(p);" in (tmp_path / "build/hip/scan.cu").read_text()
    wrong = subprocess.run([*command, "--lunch"], cwd=tmp_path, capture_output=True, text=True)
    assert wrong.returncode == 2 and "--lunch" in wrong.stderr and "Traceback" not in wrong.stderr


def test_the_module_for_build_scripts_hides_no_function(tmp_path: Path) -> None:
    code = "import hipport.convert; print(hipport.convert(b'cudaFree(p);', 'a.cpp').data)"
    shown = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert "hipFree(p);" in shown
