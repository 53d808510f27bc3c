"""Every golden case of fixtures/source: exact text and findings, nothing left to do after."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests.support.command import hipport
from tests.support.converting import NEGATED, OPTIONS, REPEATED, SWITCHES, convert
from tests.support.source_cases import CASES, LANGUAGES, Case, Expected, case_files, load, parse

FILES = case_files()
HELPERS = [f'#include "hipport_{name}.h"' for name in ("warp32", "device")]
NAMES = [path.relative_to(CASES).as_posix() for path in FILES]


@pytest.fixture(params=FILES, ids=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    return load(request.param)


def test_text_and_findings(case: Case) -> None:
    result = convert(case.path, case.input.encode(), case.options)
    assert result.output.decode() == case.output
    assert result.findings == list(case.findings)


def test_second_conversion_changes_nothing(case: Case) -> None:
    assert convert(case.path, case.output.encode(), case.options).output.decode() == case.output


GROUPS = sorted({load(path).options for path in FILES})


@pytest.mark.parametrize("options", GROUPS, ids=[" ".join(each) or "default" for each in GROUPS])
def test_the_command_gives_the_same(options: tuple[str, ...], tmp_path: Path) -> None:
    """`hipport convert` on a folder of all cases with these options: texts, findings, exit code."""
    cases = {case.path: case for path in FILES if (case := load(path)).options == options}
    for case in cases.values():
        file = tmp_path / "in" / case.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(case.input, encoding="utf-8", newline="")
    command = ["convert", *options, "in", "-o", "out", "--report", "report.json", "--jobs", "1"]
    done = hipport(*command, cwd=tmp_path)
    assert done.err == ""
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    found: dict[str, list[Expected]] = defaultdict(list)
    for each in report["findings"]:
        words = (each["line"], each["column"], each["severity"], each["code"], each["symbol"])
        found[each["path"]].append(Expected(*words))
    for path, case in cases.items():
        # Cases are files of their own; here the headers of helpers are in the folder of all.
        expected = case.output
        for include in HELPERS:
            if include not in case.input:
                expected = expected.replace(include, include.replace('"', '"../', 1))
        assert (tmp_path / "out" / path).read_text(encoding="utf-8") == expected, path
        assert found[path] == list(case.findings), path
    severities = {finding.severity for case in cases.values() for finding in case.findings}
    assert done.code == (1 if severities & {"manual", "blocker"} else 0)


def test_corpus_is_large_and_half_of_it_must_not_change() -> None:
    counts = Counter(load(path).changes for path in FILES)
    assert counts.total() >= 150
    assert counts[False] >= counts[True]


def test_corpus_is_well_formed() -> None:
    for path in FILES:
        case = load(path)
        assert path.suffix in LANGUAGES, path
        assert len(path.relative_to(CASES).parts) == 2, f"{path}: one folder a topic"
        options = {word for word in case.options if word.startswith("--")}
        known = OPTIONS.keys() | SWITCHES.keys() | NEGATED.keys() | REPEATED.keys()
        assert options <= known, f"{path}: unknown option in {options}"
        for finding in case.findings:
            lines = case.input.split("\n")
            assert finding.line <= len(lines), path
            assert finding.column <= len(lines[finding.line - 1]), path


def test_no_two_cases_are_the_same() -> None:
    seen: dict[tuple[str, tuple[str, ...], str], str] = {}
    for path in FILES:
        case = load(path)
        other = seen.setdefault((path.suffix, case.options, case.input), case.path)
        assert other == case.path, f"{case.path} repeats {other}"


@pytest.mark.parametrize(
    "text",
    [
        "int x;\n//! output\nint x;\n",
        "int x;\n//! outputs\n",
        "int x;\n//! findings\n",
        "int x;\n//! findings\n//! 1:1 urgent HP-API-001 x\n",
        "int x;\n//! findings\n//! 2:1 info HP-API-001 x\n//! 1:1 info HP-API-001 x\n",
        "int x;\n//! findings\n//! 1:1 info HP-API-001 x\n//! output\nint y;\n",
    ],
)
def test_malformed_cases_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"case\.cu"):
        parse("case.cu", text)
