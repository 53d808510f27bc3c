"""Converted programs that use warps, on an emulator of wavefronts of 32 and of 64 lanes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.lanes.__main__ import RESULTS
from benchmarks.lanes.emulation import compile_program, prepare_emulator, run
from benchmarks.lanes.measuring import LANES, is_as_expected, is_seen, measure, measure_faults
from benchmarks.lanes.programs import HERE, ROOT, convert, facts, programs, with_fault
from benchmarks.lanes.table import document

CHECKS = {
    "convergence": ["passed", "passed"],
    "diverged_barrier": ["passed", "passed"],
    "endless": ["endless", "endless"],
    "lockstep": ["passed", "passed"],
    "masks": ["passed, 5 traps", "passed, 6 traps"],
    "shuffles": ["passed", "passed"],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a conversion, which lies beside the result."""
    folder = tmp_path_factory.mktemp("lanes")
    convert(folder / "converted", folder / "report.json")
    return folder / "report.json"


@pytest.fixture(scope="module")
def converted(report: Path) -> Path:
    return report.parent / "converted"


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.long
def test_programs_are_right_at_32_and_at_64_lanes(tmp_path: Path, converted: Path) -> None:
    outcomes = measure(tmp_path, converted, programs().values(), jobs=2)
    unexpected = {
        name: {lanes: str(each) for lanes, each in found.items()}
        for name, found in outcomes.items()
        if not is_as_expected(name, found)
    }
    assert unexpected == {}
    assert sum(not each.is_reported for each in programs().values()) >= 80


@pytest.mark.toolchain
@pytest.mark.slow
def test_faults_put_in_are_seen(tmp_path: Path, converted: Path) -> None:
    outcomes = measure_faults(tmp_path, converted, jobs=2)
    assert [name for name, found in outcomes.items() if not is_seen(found)] == []
    assert len(outcomes) >= 15


@pytest.mark.toolchain
def test_the_emulator_keeps_its_rules(tmp_path: Path) -> None:
    prepare_emulator(tmp_path / "emulator")
    source = tmp_path / "checks"
    shutil.copytree(HERE / "checks", source)
    found = {}
    for path in sorted(source.glob("*.hip")):
        binary = tmp_path / "bin" / path.stem
        said = compile_program(tmp_path / "emulator", [path], source, binary)
        found[path.stem] = [said or str(run(binary, lanes)) for lanes in LANES]
    assert found == CHECKS


def test_a_fault_has_exactly_one_place(tmp_path: Path) -> None:
    (tmp_path / "converted").mkdir()
    (tmp_path / "converted" / "a.cu").write_text("one two two\n")
    fault = {"name": "there", "file": "a.cu", "search": "one", "replace": "three"}
    with_fault(tmp_path / "converted", fault, tmp_path / "spoilt")
    assert (tmp_path / "spoilt" / "a.cu").read_text() == "three two two\n"
    with pytest.raises(SystemExit, match="fault there: its text is not found exactly once"):
        with_fault(tmp_path / "converted", {**fault, "search": "two"}, tmp_path / "spoilt")


def test_what_conversion_does_not_make_right_is_reported(report: Path) -> None:
    listed = {f"{each['program']}.cu": each["finding"] for each in facts()["reported"]}
    assert sorted(listed) == [each.sources[0] for each in programs().values() if each.is_reported]
    findings = json.loads(report.read_text("utf-8"))["findings"]
    found = {(each["path"], each["code"]) for each in findings}
    assert [each for each in listed.items() if each[1] and each not in found] == []


def test_the_page_shows_the_results() -> None:
    page = document(json.loads(RESULTS.read_text("utf-8")))
    assert (ROOT / "docs" / "lanes.md").read_text("utf-8") == page
