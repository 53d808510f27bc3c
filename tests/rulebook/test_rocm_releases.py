"""The rulebook's HIP names against what each release of ROCm declares."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.model import ApiRule, MoveRule, parse_version
from tests.support.command import hipport
from tests.support.folders import CHECKOUT
from tests.support.remote_headers import rocm_pins
from tests.support.rocm_declarations import declared, parameters

RULES = load()
LIBRARIES = {
    "hip": ("runtime", "driver"),
    "hiprtc": ("nvrtc",),
    "hipblas": ("cublas",),
    "hipblaslt": ("cublaslt",),
    "hipfft": ("cufft",),
    "hiprand": ("curand",),
    "hipsolver": ("cusolver",),
    "hipsparse": ("cusparse",),
    "hipsparselt": ("cusparselt",),
    "hiptensor": ("cutensor",),
    "hipfile": ("cufile",),
    "rccl": ("nccl",),
}
"""ROCm's library -> the rulebook's."""
RELEASES = tuple(rocm_pins())
# What Cython's declarations lack in some releases: types of hip_complex.h, RCCL's second names.
UNDECLARED = re.compile(r"hipfft(?:Double)?Complex|pnccl\w+")


def mapped() -> list[ApiRule]:
    """Names of C that get a counterpart."""
    kinds = ("function", "type", "enum_value")
    return [
        rule
        for rule in RULES.every_api()
        if rule.hip and rule.kind in kinds and rule.status not in ("unsupported", "dropped")
    ]


@pytest.mark.real
@pytest.mark.parametrize("release", RELEASES)
def test_a_release_has_the_names_that_the_rulebook_gives_it(release: str) -> None:
    """Both ways: none is written that it lacks, none left that it has."""
    here = declared(release)
    names = frozenset[str]().union(*here.values())
    ever = frozenset[str]().union(*(each for one in RELEASES for each in declared(one).values()))
    covered = {name for library in here for name in LIBRARIES.get(library, ())}
    files = "hipfile" in here
    wrong = [
        f"{rule.cuda} -> {rule.hip}: {'there' if rule.hip in names else 'not there'}"
        for rule in mapped()
        if rule.library in covered
        and rule.hip in ever
        and not UNDECLARED.fullmatch(rule.hip)
        and (files or not rule.hip.startswith("hipFile"))
        and (rule.hip in names) != rule.is_in(parse_version(release))
    ]
    assert len(names) > 4_200
    assert wrong == []


@pytest.mark.real
def test_moves_are_those_of_the_declarations() -> None:
    """What a release no longer declares has a move to it, and what has one is not declared."""
    for before, after in pairwise(RELEASES):
        moves = [each for each in RULES.moves if each.change == "removed"]
        reached = [each for each in moves if parse_version(each.release) <= parse_version(after)]
        now = frozenset[str]().union(*declared(after).values())
        for library, names in declared(before).items():
            gone = {name for name in names - now if not has_move(name, reached)}
            unexpected = {
                n for n in gone if not UNDECLARED.fullmatch(n) and not EXPECTED.fullmatch(n)
            }
            assert unexpected == set(), library
        assert {name for name in now if has_move(name, reached)} == set(), after


EXPECTED = re.compile(
    r"FP_\w+"  # <math.h>
    r"|ncclConfig_v\w+|ncclWindow"  # What RCCL alone writes.
    r"|hipblasDatatype_t|HIPBLAS_(?:[RC]_\w+|DATATYPE_INVALID)"  # HP-TYPE-007
    r"|HIPRTC_JIT_\w+|hiprtcJIT\w+"  # Macros from 6.4 on.
)


def has_move(name: str, moves: list[MoveRule]) -> bool:
    return any(re.fullmatch(each.name, name) for each in moves)


@pytest.mark.real
def test_what_was_verified_with_7_2_holds_for_10_0() -> None:
    """rules/verified.tsv is about the headers of ROCm 7.2: functions have the same parameters."""
    old, new = parameters("7.2"), parameters("10.0")
    verified = {row[1] for row in RULES.table("verified.tsv")} & old.keys() & new.keys()
    assert len(verified) > 1_800
    changed = {name for name in verified if old[name] != new[name]}
    # Cython has no half: what stands for it differs.
    assert {name for name in changed if not re.fullmatch(r"hiprandGenerate\w*Half", name)} == set()


def test_what_no_header_has_is_said() -> None:
    """A name that no header of any release has is converted with HP-API-005, or not at all."""
    unseen = {
        rule.hip
        for rule in RULES.every_api()
        if rule.hip != rule.cuda
        and rule.hip
        and not rule.evidence
        and rule.kind in ("function", "type", "enum_value", "macro")
        and rule.hip.isidentifier()
        and rule.status not in ("unsupported", "partial", "dropped")
        and RULES.libraries[rule.library].policy == "map"
        and not rule.hip_removed
        and rule.library not in ("torch", "torch_other", "caffe2")
    }
    files = re.compile(r"(?:IS_)?HIP_?FILE_\w+|(?:IS_)?HIP_DRV_ERR")  # hipFile's macros
    assert {name for name in unseen if not files.fullmatch(name)} == {
        *("hipDeviceGetLuid", "hipInitDevice"),  # HIP 10.1 changelog
        *("roctxMark", "roctxRangeStart"),  # Macros for those that end in A
    }


def test_the_table_on_the_page_is_what_the_command_prints(tmp_path: Path) -> None:
    printed = hipport("rules", "stats", "--releases", cwd=tmp_path).out
    assert f"$ hipport rules stats --releases\n{printed}```\n" in page("rules.md")
    newest = load().edition.releases[-1]
    assert (newest, printed.splitlines()[0].split()[-1]) == (load().edition.rocm, newest)


def page(name: str) -> str:
    return (CHECKOUT / "docs" / name).read_text("utf-8")
