"""Each case of fixtures/build: exact bytes, exact findings, and what must not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.build_cases import CASES, BuildCase, convert_bytes, convert_tree
from tests.support.command import read_tree

ALL = [pytest.param(case, id=case.name) for case in CASES]
FILES = [
    pytest.param(case, name, id=f"{case.name}/{name}")
    for case in CASES
    for name in case.build_files
]
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize("case", ALL)
def test_case(case: BuildCase, tmp_path: Path) -> None:
    told = convert_tree(case, case.folder / "input", tmp_path / "out")
    made = {name: (tmp_path / "out" / name).read_bytes() for name in case.build_files}
    assert made == {name: case.expected(name) for name in case.build_files}
    assert told == case.findings


@pytest.mark.parametrize("case", ALL)
def test_converting_again_changes_nothing(case: BuildCase, tmp_path: Path) -> None:
    convert_tree(case, case.folder / "input", tmp_path / "one")
    convert_tree(case, tmp_path / "one", tmp_path / "two")
    assert read_tree(tmp_path / "two") == read_tree(tmp_path / "one")


@pytest.mark.parametrize(("case", "name"), FILES)
def test_line_ends_and_marks_stay(case: BuildCase, name: str) -> None:
    given, expected = case.given(name), convert_bytes(case, name, case.given(name))
    assert convert_bytes(case, name, given.replace(b"\n", b"\r\n")) == expected.replace(
        b"\n", b"\r\n"
    )
    assert convert_bytes(case, name, BOM + given) == BOM + expected
    assert convert_bytes(case, name, given.removesuffix(b"\n")) == expected.removesuffix(b"\n")
    assert convert_bytes(case, name, b"# caf\xe9\n" + given) == b"# caf\xe9\n" + expected


def test_at_least_half_of_the_cases_must_not_change() -> None:
    changed = {case.name for case in CASES if (case.folder / "expected").is_dir()}
    assert len(CASES) >= 60
    assert len(changed) <= len(CASES) / 2


def test_expected_files_differ_from_the_given_ones() -> None:
    same = [
        f"{case.name}/{name}"
        for case in CASES
        for name in case.build_files
        if (case.folder / "expected" / name).is_file() and case.given(name) == case.expected(name)
    ]
    assert same == []
