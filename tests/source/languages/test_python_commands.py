"""Options in commands of Python are those of the program that a list begins with."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.patterns.python_files import python_findings

RULES = load(is_audit=True)


def found(text: str) -> list[tuple[int, str]]:
    findings = python_findings(text.encode(), "tools/run.py", RULES)
    return [(each.start.line, each.code) for each in findings]


SWEEP = """\
import subprocess
import sys

command = [
    {program},
    "sweep.py",
    "--image",
    "waves",
    "--gpus",
    "all",
]
subprocess.run(command, check=True)
"""


@pytest.mark.parametrize(
    ("program", "is_found"),
    [
        ("sys.executable", False),
        ('"python3"', False),
        ('"/usr/bin/python3.11"', False),
        ('"torchrun"', False),
        ('"docker"', True),
        ("container_tool", True),
    ],
)
def test_a_script_of_python_has_options_of_its_own(program: str, is_found: bool) -> None:
    codes = [code for _, code in found(SWEEP.format(program=program))]
    assert ("HP-DOCK-002" in codes) == is_found


ASSEMBLE = """\
import subprocess


def assemble(path, target, is_fused):
    tool = {tool}
    program = getattr(tool, "path", str(tool))
    command = [str(program), "-lineinfo", "-v", f"--gpu-name={{target}}", str(path)]
    if not is_fused:
        command.insert(1, "--fmad=false")
    return subprocess.run(command, check=True)  # CUDA


def read(folder):
    path = tool = folder / "log"
    program = path.read_text()
"""


@pytest.mark.parametrize(
    ("tool", "is_found"),
    [
        ("get_ptxas(90)", False),
        ("find_ptxas()", False),
        ('shutil.which("ptxas")', False),
        ('shutil.which("nvcc")', True),
        ('find_nvcc(beside="ptxas")', True),
    ],
)
def test_the_assembler_takes_no_option_of_clangs(tool: str, is_found: bool) -> None:
    codes = {code for _, code in found(ASSEMBLE.format(tool=tool))}
    assert codes.intersection({"HP-MAKE-004", "HP-PY-089"}) == (
        {"HP-MAKE-004", "HP-PY-089"} if is_found else set()
    )


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("SM90_LIMITS", False),
        ("limits_hopper", False),
        ("H100", False),
        ("LIMITS", True),
        ("SMALL", True),
        ("CHAMPERED", True),
    ],
)
def test_a_table_of_one_gpu_of_nvidias(name: str, is_found: bool) -> None:
    text = f'{name} = {{\n    "registers": 65536,\n    "warp_size": 32,\n}}\n'
    assert (found(text) == [(3, "HP-PY-075")]) == is_found
