"""Findings in files of lines and in Python: what is read, what is prose, what is left out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import kind_of
from hipport.source.audit.nets import uncovered
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.patterns.line_files import line_findings, without_comments
from hipport.source.tree.file_task import language_of
from hipport.source.tree.own_packages import without_named_folders
from tests.support.folders import FIXTURES
from tests.support.real_trees import trees, unpacked

RULES = load(is_audit=True)
MPI = FIXTURES / "audit" / "mpi"


def found_in(name: str, data: bytes) -> list[Finding]:
    """What the audit finds in one file, read as its name says."""
    language = language_of(name.rpartition("/")[2])
    if language:
        decisions = Decisions(RULES, default_options(RULES))
        found = convert_source(data, name, language, decisions).findings
        # Of a file by itself, only the names of its folders say which package it is in.
        return uncovered(without_named_folders(found, RULES), RULES)
    return uncovered(line_findings(data, name, kind_of(name), RULES), RULES)


def codes(name: str, text: str) -> list[tuple[int, str]]:
    return [(each.start.line, each.code) for each in found_in(name, text.encode())]


GPU_AWARE_MPI = {
    "openmpi-ucx/Makefile": [(1, "HP-MAKE-011"), (5, "HP-MAKE-010")],
    "openmpi-ucx/build-mpi.sh": [
        (5, "HP-MPI-001"),
        (5, "HP-MAKE-011"),
        (6, "HP-MPI-001"),
        (6, "HP-MAKE-011"),
        (7, "HP-MPI-007"),
        (7, "HP-MAKE-011"),
    ],
    "openmpi-ucx/halo.cpp": [(11, "HP-MPI-002"), (12, "HP-MPI-002")],
    "openmpi-ucx/run.slurm": [
        (4, "HP-DOCK-006"),
        (7, "HP-ENV-016"),
        (9, "HP-MPI-003"),
        (10, "HP-MPI-004"),
        (11, "HP-ENV-009"),
        (11, "HP-MPI-007"),
    ],
    "cray-mpich/Makefile": [(2, "HP-MPI-010"), (3, "HP-MAKE-010"), (3, "HP-MPI-005")],
    "cray-mpich/halo.cpp": [(14, "HP-MPI-010")],
    "cray-mpich/run.slurm": [
        (4, "HP-DOCK-006"),
        (7, "HP-ENV-016"),
        (7, "HP-MPI-005"),
        (9, "HP-MPI-005"),
        (10, "HP-ENV-004"),
        (10, "HP-ENV-008"),
        (11, "HP-DOCK-006"),
    ],
}


@pytest.mark.parametrize("name", GPU_AWARE_MPI)
def test_gpu_aware_mpi_from_source_to_launch(name: str) -> None:
    found = found_in(name, (MPI / name).read_bytes())
    places = [(each.start.line, each.code) for each in found]
    # What converts the API itself speaks elsewhere.
    assert [place for place in places if not place[1].startswith("HP-API")] == GPU_AWARE_MPI[name]


def test_every_file_of_the_mpi_fixtures_is_expected_to_say_something() -> None:
    files = {f"{path.parent.name}/{path.name}" for path in MPI.glob("*/*")}
    assert files == GPU_AWARE_MPI.keys()


@pytest.mark.parametrize(
    ("kind", "text", "left"),
    [
        ("make", "A = -G # -lineinfo\nB = a#b\n", "A = -G            \nB = a#b\n"),
        ("shell", "#SBATCH --nodes=2\n#SBATCHING\n", "#SBATCH --nodes=2\n          \n"),
        ("shell", "#PBS -l x\n#BSUB -n 2\n", "#PBS -l x\n#BSUB -n 2\n"),
        ("autoconf", "dnl CUDA\nA_dnl B\n", "        \nA_dnl B\n"),
        ("python", 'a = "# no comment" # one\n', 'a = "# no comment"      \n'),
        (
            "python",
            'def f():\n    """Uses\n    CUDA."""\n',
            "def f():\n           \n            \n",
        ),
        ("python", 'k = """\n__global__\n"""\nb = 1\n', 'k = """\n__global__\n"""\nb = 1\n'),
        ("python", 'f(\n    """kernel"""\n)\n', 'f(\n    """kernel"""\n)\n'),
        ("python", "'''open\nto the end", "       \n          "),
        ("python", "# ===\n'''CUDA'''\n", "     \n          \n"),
        ("cython", 'cdef f():\n    """CUDA"""\n', "cdef f():\n              \n"),
    ],
)
def test_comments_and_docstrings_are_blanked_in_place(kind: str, text: str, left: str) -> None:
    assert without_comments(text, kind) == left
    assert len(left) == len(text)


def test_a_file_with_a_branch_for_amd_is_not_told_to_have_one() -> None:
    line = "NVCC ?= nvcc\n"
    assert codes("Makefile", line) == [(1, "HP-MAKE-001")]
    assert codes("Makefile", line + "HIPCC ?= hipcc\n") == []


def test_what_is_said_once_a_file_is_said_at_its_first_place() -> None:
    text = "import torch\nn = torch.cuda.device_count()\ntorch.cuda.set_device(0)\n"
    assert codes("train.py", text) == [(2, "HP-PY-001")]


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("app/model.py", True),
        ("xformers/ops.py", False),
        ("xformers-0.0.9/tests/test_ops.py", False),
        ("xformers_demo/ops.py", True),
    ],
)
def test_a_package_is_not_told_that_it_needs_itself(name: str, is_told: bool) -> None:
    assert codes(name, "import xformers.ops\n") == ([(1, "HP-PY-020")] if is_told else [])


def test_broken_python_gives_what_can_be_seen() -> None:
    assert codes("k.py", "from numba import cuda\ndef f(:\n") == [(1, "HP-PY-028")]


@pytest.mark.slow
def test_a_line_of_five_megabytes_is_read() -> None:
    text = "NVCCFLAGS = " + "-Xcompiler -fPIC nvcc " * 230_000 + "\n"
    assert codes("Makefile", text) == [(1, "HP-MAKE-008")]


def builder_classes(folder: Path) -> set[tuple[str, str]]:
    """(file, class) of every DeepSpeed op that its own Python says is one, abstract ones aside."""
    classes = {
        (path.name, node)
        for path in folder.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    return {
        (name, node.name)
        for name, node in classes
        if node.name.endswith("Builder") and not node.name.endswith("OpBuilder")
    }


@pytest.mark.real
def test_every_op_builder_of_deepspeed_is_found() -> None:
    folder = unpacked(trees()["deepspeed"]) / "op_builder"
    found = {
        (path.name, each.symbol): each.code
        for path in folder.glob("*.py")
        for each in found_in(f"op_builder/{path.name}", path.read_bytes())
        if each.code in ("HP-PY-015", "HP-PY-016") and each.symbol.endswith("Builder")
    }
    assert found.keys() == builder_classes(folder)
    unusable = {name for (_, name), code in found.items() if code == "HP-PY-016"}
    assert unusable == {
        "EvoformerAttnBuilder",
        "GDSBuilder",
        "InferenceCoreBuilder",
        "InferenceCutlassBuilder",
        "RaggedOpsBuilder",
    }
    assert len(found) == 20
