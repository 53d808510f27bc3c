"""Runs all programs, and the faults put into them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.lanes.emulation import Outcome, compile_program, prepare_emulator, run
from benchmarks.lanes.programs import Program, facts, programs, with_fault

LANES = (32, 64)
Outcomes = dict[int, Outcome]


def measure(
    folder: Path, converted: Path, wanted: Iterable[Program], jobs: int
) -> dict[str, Outcomes]:
    """The outcomes of converted programs by name and by number of lanes."""
    prepare_emulator(folder / "emulator")
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(converted, source)
    chosen = list(wanted)
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = pool.map(lambda each: _outcomes(folder, source, each, each.name), chosen)
        return {each.name: found for each, found in zip(chosen, outcomes, strict=True)}


def measure_faults(folder: Path, converted: Path, jobs: int) -> dict[str, Outcomes]:
    """The outcomes of the programs with a fault, by the fault's name."""
    prepare_emulator(folder / "emulator")
    faults: list[dict[str, Any]] = facts()["fault"]

    def outcomes(fault: dict[str, Any]) -> Outcomes:
        source = folder / "faults" / fault["name"]
        with_fault(converted, fault, source)
        return _outcomes(
            folder, source, programs()[fault["program"]], f"faults/{fault['name']}.run"
        )

    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(outcomes, faults)
        return {fault["name"]: each for fault, each in zip(faults, found, strict=True)}


def is_as_expected(name: str, outcomes: Outcomes) -> bool:
    """Whether a program is right, or fails as programs.toml says."""
    for each in facts()["reported"]:
        if each["program"] == name:
            expected = {lanes: Outcome(each["outcomes"][str(lanes)]) for lanes in LANES}
            return all(plain(outcomes[lanes]) == plain(expected[lanes]) for lanes in LANES)
    return all(outcome.is_right for outcome in outcomes.values())


def plain(outcome: Outcome) -> dict[str, str | int]:
    """An outcome without its output."""
    return {"verdict": outcome.verdict, "traps": outcome.traps}


def is_seen(outcomes: Outcomes) -> bool:
    """Whether a fault shows itself by a wrong value, a trap or no end when it runs."""
    compiled = all(each.verdict != "not compiled" for each in outcomes.values())
    return compiled and not all(each.is_right for each in outcomes.values())


def _outcomes(folder: Path, source: Path, program: Program, name: str) -> Outcomes:
    binary = folder / "bin" / name
    files = [source / each for each in program.sources]
    fault = compile_program(folder / "emulator", files, source, binary)
    if fault:
        return {lanes: Outcome("not compiled", output=fault) for lanes in LANES}
    return {lanes: run(binary, lanes) for lanes in LANES}
