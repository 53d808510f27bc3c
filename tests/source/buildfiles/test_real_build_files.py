"""Build files that others wrote: what is changed in them, and that what is left is told."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.options import Options
from hipport.source.tree.file_task import Outcome
from hipport.source.tree.run_tasks import run
from hipport.source.tree.task_list import Wishes, plan
from tests.support.real_trees import trees, unpacked

pytestmark = pytest.mark.real

KINDS = ("cmake", "make", "python", "requirements", "docker", "shell")
LEFT = re.compile(
    r"CUDA::\w+|find_package\(CUDA|COMPILE_LANGUAGE:CUDA|enable_language\(CUDA|-lineinfo|--expt-"
    r"|-gencode|CMAKE_CUDA_(?!HOST_COMPILER|RUNTIME_LIBRARY)\w+|\bCUDA_VERSION\b"
)


def outcomes(root: Path, targets: tuple[str, ...] = ("gfx90a",)) -> dict[str, Outcome]:
    """What becomes of each build file below a folder, by its path there."""
    wishes = Wishes(writes=False, keeps_bytes=True, build_files=KINDS)
    tasks = [each for each in plan([str(root)], wishes, pytest.fail) if each.is_build_file]
    options = Options(rocm=load().rocm, targets=targets)
    return {each.file.path: each for each in run(tasks, options, jobs=1)}


def changed(found: dict[str, Outcome]) -> dict[str, int]:
    return {path: each.file.edits for path, each in found.items() if each.file.edits}


def test_xgboost() -> None:
    found = outcomes(unpacked(trees()["xgboost"]) / "cpp_src")
    assert set(changed(found)) == {
        "CMakeLists.txt",
        "cmake/Utils.cmake",
        "cmake/xgboost-config.cmake.in",
        "plugin/federated/CMakeLists.txt",
        "src/CMakeLists.txt",
    }
    assert "enable_language(HIP)" in found["CMakeLists.txt"].new.decode()
    assert b"federated_comm.cu\n    federated_coll.cu" in (
        found["plugin/federated/CMakeLists.txt"].new
    )


def test_what_is_left_of_cuda_in_xgboost_is_told() -> None:
    """Each line of the result that names CUDA's support was such a line, and has a finding."""
    for path, outcome in outcomes(unpacked(trees()["xgboost"]) / "cpp_src").items():
        if build_kind(path, ("cmake",)):
            told = {each.start.line for each in outcome.findings}
            old, new = outcome.old.decode().splitlines(), outcome.new.decode().splitlines()
            matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
            for block in matcher.get_matching_blocks():
                for line in range(block.a, block.a + block.size):
                    code = old[line].partition("#")[0]
                    is_text = re.match(r'\s*(?:message\(|"|STATUS)', code)
                    if LEFT.search(code) and not is_text:
                        assert line + 1 in told, f"{path}:{line + 1}: {code}"


def test_a_project_that_knows_amd_is_left_alone() -> None:
    found = outcomes(unpacked(trees()["llama-cpp-python"]))
    assert changed(found) == {}
    told = Counter(each.code for outcome in found.values() for each in outcome.findings)
    assert set(told) == {"HP-BUILD-004"}


@pytest.mark.parametrize("name", ["xgboost", "llama-cpp-python"])
def test_bytes_outside_the_edits_are_the_same(name: str) -> None:
    """Every line that is gone had something of CUDA, or the version that CMake must have."""
    about_cuda = re.compile(
        r"(?i)cuda|nvcc|\.cu\b|gencode|cmake_minimum_required|thrust|\bCUB\b|nccl|-Xcompiler"
        r"|HINTS|^\s*(?:endif|else|elseif|set_target_properties|INTERPROCEDURAL)?\(?[^\w]*$"
        r"|The compiler executable|INTERPROCEDURAL_OPTIMIZATION|set_target_properties"
    )
    for path, outcome in outcomes(unpacked(trees()[name])).items():
        old, new = outcome.old.decode().splitlines(), outcome.new.decode().splitlines()
        for line in difflib.ndiff(old, new):
            if line.startswith("- "):
                assert about_cuda.search(line[2:]), f"{path}: {line}"


@pytest.mark.parametrize("name", ["xgboost", "llama-cpp-python"])
def test_converting_again_changes_nothing(name: str, tmp_path: Path) -> None:
    for path, outcome in outcomes(unpacked(trees()[name])).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(outcome.new)
    assert changed(outcomes(tmp_path)) == {}
