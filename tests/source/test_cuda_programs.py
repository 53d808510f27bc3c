"""What `hipport convert` makes of the CUDA programs in `fixtures/cuda`, without a compiler."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import without_summary
from tests.support.conversion_checks import differences, source_lines
from tests.support.cuda_programs import COMPILED, FOLDER, Program, files, programs, table
from tests.support.folders import CHECKOUT
from tests.support.left_over import left_names
from tests.support.rule_tables import RULES, rulebook
from tests.support.tokens import decode

HELPERS = ("hipport_device.h", "hipport_warp32.h")

AREA = re.compile(r"(?://|/\*) Area: (.+?)(?: \*/)?\n")
CODE = (*COMPILED, ".h", ".cuh")


class Conversion:
    """All programs, converted for one ROCm by the command as a user runs it."""

    def __init__(self, source: Path, work: Path, *options: str) -> None:
        self.source, self.output, self.options = source, work / "cuda", options
        report = work / "report.json"
        command = ["convert", source, "-o", self.output, "--report", report]
        self.process = subprocess.run(
            [sys.executable, "-m", "hipport", *map(str, command), *options],
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        )
        self.report: dict[str, Any] = json.loads(report.read_text("utf-8"))
        self.findings: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for finding in self.report["findings"]:
            self.findings[finding["path"]].append(finding)

    def texts(self, program: Program) -> Iterator[tuple[str, str, str]]:
        """Path, text before and text after, of each source and header of a program."""
        for path in files(self.source):
            if path.startswith(f"{program.name}/") and Path(path).suffix in CODE:
                before, after = ((root / path).read_bytes() for root in (self.source, self.output))
                yield path, decode(before), decode(after)


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Conversion:
    return Conversion(FOLDER, tmp_path_factory.mktemp("newest"))


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Conversion:
    """For the ROCm that the programs are compiled with."""
    return Conversion(FOLDER, tmp_path_factory.mktemp("old"), "--rocm", table()["rocm"])


@pytest.fixture(params=["newest", "old"])
def conversion(request: pytest.FixtureRequest) -> Conversion:
    each: Conversion = request.getfixturevalue(request.param)
    return each


@pytest.fixture(params=list(programs().values()), ids=list(programs()))
def program(request: pytest.FixtureRequest) -> Program:
    each: Program = request.param
    return each


def damage(before: str, after: str) -> list[str]:
    """What `differences` finds, but for the keyword of a tag that HIP has as a plain type."""
    tags = {tag for tag in ("struct", "enum") if re.search(rf"\b{tag} cuda\w+", before)}
    return [each for each in differences(before, after) if each not in {f"lost {t}" for t in tags}]


def test_the_table_lists_the_programs_in_order() -> None:
    folders = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
    assert list(programs()) == folders
    assert len(folders) >= 28


def test_each_program_has_an_area_of_its_own() -> None:
    owner: dict[str, str] = {}
    for name, program in programs().items():
        for source in program.sources(FOLDER):
            found = AREA.match(source.read_text("utf-8-sig"))
            assert found, source
            assert owner.setdefault(re.split(r"[:.]", found[1])[0], name) == name


def test_the_command_ends_well(conversion: Conversion) -> None:
    assert without_summary(conversion.process.stderr) == ""
    assert conversion.process.returncode == 1, "there are findings to act on"
    assert conversion.report["summary"]["failed"] == 0


def test_the_copy_is_complete(conversion: Conversion) -> None:
    before, after = files(FOLDER), files(conversion.output)
    modes = {path: file.stat().st_mode for path, file in before.items()}
    for name in HELPERS:
        assert after.pop(name).read_bytes() == (RULES / "helpers" / name).read_bytes()
    assert {path: file.stat().st_mode for path, file in after.items()} == modes


def test_a_second_conversion_changes_nothing(conversion: Conversion, tmp_path: Path) -> None:
    again = Conversion(conversion.output, tmp_path, *conversion.options)
    once, twice = files(conversion.output), files(again.output)
    assert [p for p, file in once.items() if file.read_bytes() != twice[p].read_bytes()] == []


def test_nothing_but_cuda_changes(program: Program, conversion: Conversion) -> None:
    wrong = {path: damage(old, new) for path, old, new in conversion.texts(program)}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_no_cuda_name_with_a_mapping_is_left(program: Program, newest: Conversion) -> None:
    left = {name for _, _, new in newest.texts(program) for name, _ in left_names(new)}
    mapped = {name for name in left if any(rule.hip for rule in rulebook().get(name, []))}
    assert mapped == set(program.left)


def test_every_cuda_name_left_is_reported_on_its_line(
    program: Program, conversion: Conversion
) -> None:
    silent = []
    for path, old, new in conversion.texts(program):
        origin = source_lines(old, new)
        for name, line in left_names(new):
            reported = {
                f["symbol"] for f in conversion.findings[path] if f["line"] in origin[line - 1]
            }
            if not any(name in symbol for symbol in reported):
                silent.append((path, line, name))
    assert silent == []


def test_the_findings_are_the_ones_expected(program: Program, newest: Conversion) -> None:
    found = [
        f"{path.partition('/')[2]}:{each['line']} {each['code']} {each['symbol']}"
        for path, findings in newest.findings.items()
        for each in findings
        if path.startswith(f"{program.name}/") and each["severity"] in ("blocker", "manual")
    ]
    assert found == list(program.findings)
