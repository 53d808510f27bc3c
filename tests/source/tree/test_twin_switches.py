"""Behind a switch for CUDA with a twin for AMD, no build for AMD reads anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport, make_tree

TWIN = "#ifdef OURS_USING_ROCSPARSE\nint of_amd;\n#endif\n"
VERSION = (
    "#if defined(OURS_USING_CUSPARSE)\n#if CUSPARSE_VERSION >= 11000\nint a;\n#endif\n#endif\n"
)
BOTH = (
    "#if defined(OURS_USING_CUSPARSE) && CUSPARSE_VERSION >= 11000\nint a;\n#else\nint b;\n#endif\n"
)
CHAIN = (
    "#if defined(OURS_USING_NVTX)\n#include <nvToolsExt.h>\n"
    "#elif defined(OURS_USING_ROCTX)\nint of_amd;\n#endif\n"
)
ERROR = (
    "#ifdef OURS_USING_CUDA\n#if CUDA_VERSION < 11020\n#error needs CUDA 11.2\n#endif\n#endif\n"
    "#ifdef OURS_USING_HIP\nint of_amd;\n#endif\n"
)


def reported(folder: Path, files: dict[str, str]) -> list[tuple[str, int, str]]:
    make_tree(folder, files)
    audited = hipport("audit", ".", "--format", "json", cwd=folder)
    return [
        (each["path"], each["line"], each["code"]) for each in json.loads(audited.out)["findings"]
    ]


def test_a_version_behind_the_switch_is_silent_where_the_tree_has_its_twin(tmp_path: Path) -> None:
    found = reported(tmp_path, {"a.c": VERSION, "b.c": BOTH, "twin.h": TWIN})
    assert found == []


def test_it_is_reported_where_the_tree_has_none(tmp_path: Path) -> None:
    found = reported(tmp_path, {"a.c": VERSION, "b.c": BOTH, "twin.h": "int of_both;\n"})
    assert found == [("a.c", 2, "HP-GUARD-003"), ("b.c", 1, "HP-GUARD-003")]


def test_of_a_conditional_with_a_branch_for_the_twin_nothing_is_reported(tmp_path: Path) -> None:
    assert reported(tmp_path, {"a.c": CHAIN}) == []
    alone = "#if defined(OURS_USING_NVTX)\n#include <nvToolsExt.h>\n#endif\n"
    elsewhere = {"a.c": alone, "b.c": "#ifdef OURS_USING_ROCTX\nint of_amd;\n#endif\n"}
    assert reported(tmp_path, elsewhere) == [("a.c", 2, "HP-PROP-006")]


def test_an_error_behind_the_switch_for_cuda_stops_no_build_for_amd(tmp_path: Path) -> None:
    assert reported(tmp_path, {"a.h": ERROR}) == []


def test_a_switch_behind_which_the_tree_asks_for_amd_is_set_for_both(tmp_path: Path) -> None:
    both = "#ifdef OURS_USING_CUDA\n#ifdef OURS_USING_HIP\nint of_amd;\n#endif\n#endif\n"
    found = reported(tmp_path, {"a.h": ERROR, "both.h": both})
    assert ("a.h", 3, "HP-GUARD-005") in found


@pytest.mark.parametrize(("one", "other"), [("SIM_CUDA", "SIM_HIP"), ("CUDA_ON", "HIP_ON")])
def test_a_switch_may_be_called_otherwise(tmp_path: Path, one: str, other: str) -> None:
    chain = CHAIN.replace("OURS_USING_NVTX", one).replace("OURS_USING_ROCTX", other)
    assert reported(tmp_path, {"a.c": chain.replace("_ON", "_ENABLED")}) == []


def test_a_switch_against_amd_is_none(tmp_path: Path) -> None:
    chain = CHAIN.replace("OURS_USING_NVTX", "NO_CUDA").replace("OURS_USING_ROCTX", "NO_HIP")
    assert reported(tmp_path, {"a.c": chain}) == [("a.c", 2, "HP-PROP-006")]


def test_what_is_behind_the_switch_alone_is_a_look(tmp_path: Path) -> None:
    alone = "#if defined(OURS_CUDA)\n#include <nvToolsExt.h>\n#endif\n"
    twin = "#ifdef OURS_HIP\nint of_amd;\n#endif\n"
    make_tree(tmp_path, {"a.c": alone, "b.c": twin})
    audited = hipport("audit", ".", "--format", "json", cwd=tmp_path)
    (found,) = json.loads(audited.out)["findings"]
    assert found["severity"] == "review"
    assert "a switch for AMD" in found["message"]


OURS = VERSION.replace("defined(OURS_USING", "OursDefined(USING")


def test_a_switch_that_a_macro_of_the_trees_own_asks_for(tmp_path: Path) -> None:
    assert reported(tmp_path, {"a.c": OURS}) == [("a.c", 2, "HP-GUARD-003")]


def test_its_twin(tmp_path: Path) -> None:
    twin = "#if OursDefined(USING_ROCSPARSE)\nint of_amd;\n#endif\n"
    assert reported(tmp_path, {"a.c": OURS, "b.c": twin}) == []
