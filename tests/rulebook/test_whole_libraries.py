"""Libraries of which no name can be renamed: a shape for all names, one finding for each file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.names.library_shapes import whole_library
from tests.support.command import hipport, make_tree

AUDIT = load(is_audit=True)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("nppiAddC_8u_C1RSfs_Ctx", "HP-LIB-012"),
        ("NPP_BOTH_AXIS", "HP-LIB-012"),
        ("nppGetLibVersion", "HP-LIB-012"),
        ("cudssMgHandle_t", "HP-LIB-030"),
        ("cublasMpGemm", "HP-LIB-031"),
        ("CUpti_ActivityKernel9", "HP-PROP-008"),
        ("nvJitLinkCreate", "HP-LIB-033"),
        ("NVFATBIN_SUCCESS", "HP-LIB-034"),
        ("PFN_cuMemAlloc_v3020", "HP-LIB-038"),
        ("nppiAddC_8u_C1RSfs.h", ""),
        ("nppm", ""),
        ("NppPanel", ""),
        ("mynppiAdd_8u", ""),
        ("nvvm_users", ""),
    ],
)
def test_a_name_belongs_to_the_library_of_its_shape(name: str, code: str) -> None:
    found = whole_library(AUDIT, name)
    assert (found.id if found else "") == code


def test_no_line_of_the_rulebook_has_a_name_of_such_a_library() -> None:
    """A name is renamed or left with its library, not both."""
    both = [rule.cuda for rule in load().every_api() if whole_library(AUDIT, rule.cuda)]
    assert both == []


def test_no_two_libraries_claim_a_name() -> None:
    shapes = {rule.id: re.compile(rule.keys["shape"]) for rule in AUDIT.whole_libraries}
    assert len(shapes) > 15
    names = [rule.cuda for rule in load().every_api()]
    for name in [*names, "nvshmem_int_p", "cutensorMpCreate", "nvcompBatchedLZ4Opts_t"]:
        assert sum(1 for shape in shapes.values() if shape.fullmatch(name)) <= 1, name


def test_a_conversion_knows_the_same_libraries() -> None:
    assert {rule.id for rule in AUDIT.whole_libraries} == {
        rule.id for rule in load().whole_libraries
    }
    assert all(rule.links for rule in AUDIT.whole_libraries)


def test_conversion_and_audit_say_it_once_for_each_file(tmp_path: Path) -> None:
    code = "#include <cuda_runtime.h>\nvoid f(Npp8u *a, NppiSize b) { nppsZero_8u(a, 3); }\n"
    make_tree(tmp_path, {"a.cpp": code, "b.cpp": code})
    audited = hipport("audit", "--all-places", "a.cpp", "b.cpp", cwd=tmp_path)
    assert [line.partition(" ")[0] for line in audited.out.splitlines()[1:3]] == [
        "a.cpp:2:8:",
        "b.cpp:2:8:",
    ]
    assert audited.out.count("HP-LIB-012") == 2
    hipport("convert", "a.cpp", "--report", "report.json", "-o", "out", cwd=tmp_path)
    assert (tmp_path / "report.json").read_text().count('"code": "HP-LIB-012"') == 1


def test_a_header_of_the_tree_is_none_of_the_library(tmp_path: Path) -> None:
    files = {"a.cpp": '#include "nvjpeg.h"\nint main() {}\n', "nvjpeg.h": "int decode();\n"}
    make_tree(tmp_path / "src", files)
    hipport("convert", "src", "--report", "report.json", cwd=tmp_path)
    assert "HP-LIB-013" not in (tmp_path / "report.json").read_text()


def test_show_answers_for_every_name(tmp_path: Path) -> None:
    for name in ("nppiAddC_8u_C1RSfs", "nppi_color_conversion.h"):
        done = hipport("rules", "show", name, cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("code             HP-LIB-012\n")
        assert "link             https://docs.nvidia.com/cuda/npp/\n" in done.out


def test_a_rulebook_of_its_own_can_describe_a_library(tmp_path: Path) -> None:
    (tmp_path / "libraries.toml").write_text("", encoding="utf-8")
    assert whole_library(RuleSet(tmp_path), "nppiAddC_8u_C1RSfs") is None
