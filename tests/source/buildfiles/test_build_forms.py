"""Build files of the golden cases in other forms: the same is edited, and what is not stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.buildfiles.build_conversion import convert_build
from hipport.source.buildfiles.build_kinds import build_kind
from tests.support.build_cases import FOLDER, KINDS
from tests.support.build_forms import FORMS, Form

CHOICES = Choices(("gfx90a",))
OF_CASES = {kind: FORMS[kind] for kind in ("cmake", "make")}
# Lists of flags with comments between them stay, with a finding, as none would be kept in a text;
# a call of make's `addprefix` is read in one line.
DIFFERENT = {
    ("cmake_findcuda", "comments_between_arguments"),
    ("cmake_findcuda_types", "comments_between_arguments"),
    ("make_mixed", "values_on_lines"),
}


class Case(NamedTuple):
    """A build file of a golden case in another form."""

    name: str
    file: str
    kind: str
    text: str
    form: Form


def _same_in_cmake(text: str) -> str:
    text = re.sub(r"(^|[\s(])#[^\n]*", r"\1", text)
    text = re.sub(r"([A-Za-z_]\w*)\s*\(", lambda each: f"{each[1].lower()}(", text)
    text = re.sub(r"\b(else|endif)\((?:[^()]|\([^()]*\))*\)", r"\1()", text)
    return " ".join(re.sub(r"\s*([()])\s*", r" \1 ", text).split())


def _same_in_make(text: str) -> str:
    text = re.sub(r"[ \t]*\\\n[ \t]*", " ", text)
    text = re.sub(r"\$\{(\w+)\}", r"$(\1)", text)
    text = re.sub(r"^[ ]*(?:export )?", "", text, flags=re.MULTILINE)
    return re.sub(r"[ \t]+", " ", text)


SAME: dict[str, Callable[[str], str]] = {"cmake": _same_in_cmake, "make": _same_in_make}


def cases() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*/input/**/*")):
        kind = build_kind(path.name, KINDS) if path.is_file() else ""
        if kind not in OF_CASES or path.suffix == ".json":
            continue
        text = path.read_bytes().decode("latin-1")
        name = path.relative_to(FOLDER).parts[0]
        for form in OF_CASES[kind] if "\r" not in text else ():
            same = SAME[kind]
            # Where a form is not the same to this test, it says nothing.
            if form(text) != text and same(form(text)) == same(text):
                found.append(Case(name, path.name, kind, text, form))
    return found


CASES = cases()


def converted(text: str, name: str, kind: str) -> str:
    return convert_build(text.encode("latin-1"), name, kind, load(), CHOICES).data.decode("latin-1")


@pytest.mark.parametrize("form", [each for forms in OF_CASES.values() for each in forms])
def test_the_same_is_edited_in_each_form(form: Form) -> None:
    different = set()
    for case in (each for each in CASES if each.form is form):
        same = SAME[case.kind]
        plain = converted(case.text, case.file, case.kind)
        other = converted(form(case.text), case.file, case.kind)
        if same(plain) != same(other):
            different.add((case.name, form.__name__))
    assert different == {each for each in DIFFERENT if each[1] == form.__name__}


def test_many_files_are_converted_in_other_forms() -> None:
    assert len(CASES) > 400


EXAMPLES = {
    "options of FindCUDA with comments": (
        "CMakeLists.txt",
        "cuda_add_library(a a.cu\n  OPTIONS # fast\n    -DA # more\n    '-O3')\n".replace("'", '"'),
        "set_source_files_properties(a.cu PROPERTIES LANGUAGE HIP)\n"
        "find_package(hip REQUIRED)\nadd_library(a a.cu\n)\n"
        'target_compile_options(a PRIVATE "$<$<COMPILE_LANGUAGE:HIP>:-DA;-O3>")\n'
        "target_link_libraries(a hip::host)\n",
    ),
    "properties with comments": (
        "CMakeLists.txt",
        "set_target_properties(a PROPERTIES\n  CUDA_RUNTIME_LIBRARY # which\n  Shared # one\n"
        "  CXX_STANDARD 17)\n",
        "set_target_properties(a PROPERTIES\n   # which\n   # one\n  CXX_STANDARD 17)\n",
    ),
    "a variable that is exported later": (
        "run.sh",
        "CUDA_HOME=/usr/local/cuda; export CUDA_HOME\nTORCH_CUDA_ARCH_LIST=8.0\n"
        "export TORCH_CUDA_ARCH_LIST\n",
        'ROCM_PATH=/opt/rocm; export ROCM_PATH\nPYTORCH_ROCM_ARCH="gfx90a"\n'
        "export PYTORCH_ROCM_ARCH\n",
    ),
    "a variable of csh": (
        "run.csh",
        "setenv TORCH_CUDA_ARCH_LIST 8.0\n",
        'setenv PYTORCH_ROCM_ARCH "gfx90a"\n',
    ),
    "modules in several lines": (
        "run.sh",
        "module load gcc \\\n    cudatoolkit/12.2  # two\n",
        "module load gcc \\\n    rocm  # two\n",
    ),
    "a value in the next line": (
        "Makefile",
        "CUDA_HOME = \\\n    /usr/local/cuda\nRUNTIME = \\\n    cudart\nLIBS = -l$(RUNTIME)\n",
        "ROCM_PATH = \\\n    /opt/rocm\nRUNTIME = \\\n    amdhip64\nLIBS = -l$(RUNTIME)\n",
    ),
}


@pytest.mark.parametrize("case", EXAMPLES)
def test_what_is_edited(case: str) -> None:
    name, text, expected = EXAMPLES[case]
    kind = build_kind(name, KINDS)
    assert converted(text, name, kind) == expected
