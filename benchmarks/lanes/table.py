"""Writes the page from the results of runs: results.json."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.lanes.measuring import LANES
from benchmarks.lanes.programs import HERE, PROGRAMS, Program, facts, programs

Row = dict[str, dict[str, Any]]


def document(results: dict[str, Any]) -> str:
    page = (HERE / "page.md").read_text("utf-8")
    ours = [each for each in programs().values() if not each.is_reported]
    shown = {
        "programs": str(len(ours)),
        "summary": _summary(ours, results),
        "reported": _table(
            ["program", "why", "32 lanes", "64 lanes", "finding"],
            (_reported(each, results["programs"]) for each in facts()["reported"]),
        ),
        "table": _table(
            ["program", "what it does", "32 lanes", "64 lanes", "64 lanes, widened"],
            (_program(each, results) for each in ours),
        ),
        "faults": _table(
            ["fault", "program", "32 lanes", "64 lanes"],
            (_fault(each, results["faults"]) for each in facts()["fault"]),
        ),
    }
    for name, text in shown.items():
        page = page.replace(f"{{{name}}}", text)
    return page


def _summary(ours: list[Program], results: dict[str, Any]) -> str:
    rows = [["conversion", "lanes", "right", "wrong value", "trap", "no end", "not compiled"]]
    for key, name in (("programs", "faithful, the default"), ("before", "widened to 64 bits")):
        for lanes in LANES:
            found = [results[key][each.name][str(lanes)] for each in ours]
            counts = [
                sum(_is_right(each) for each in found),
                sum(each["verdict"] in ("wrong", "crashed") for each in found),
                sum(each["verdict"] == "passed" and each["traps"] > 0 for each in found),
                sum(each["verdict"] == "endless" for each in found),
                sum(each["verdict"] == "not compiled" for each in found),
            ]
            rows.append([name, str(lanes), *map(str, counts)])
    return _table(rows[0], rows[1:])


def _is_right(outcome: dict[str, Any]) -> bool:
    return bool(outcome["verdict"] == "passed" and not outcome["traps"])


def _program(program: Program, results: dict[str, Any]) -> list[str]:
    row, before = results["programs"][program.name], results["before"][program.name]
    outcomes = [_words(row[str(lanes)]) for lanes in LANES]
    return [program.name.replace("_", " "), _about(program), *outcomes, _words(before["64"])]


def _about(program: Program) -> str:
    """The first line of the program's main file, which says what it shows."""
    main = next(each for each in program.sources if "/" not in each or each.endswith("/main.cu"))
    first = (PROGRAMS / main).read_text("utf-8").splitlines()[0]
    return first.removeprefix("// ").rstrip(".").replace("|", "\\|")


def _reported(known: dict[str, Any], rows: Row) -> list[str]:
    row = rows[known["program"]]
    name = known["program"].partition("/")[2].replace("_", " ")
    outcomes = [_words(row[str(lanes)]) for lanes in LANES]
    return [name, known["why"], *outcomes, known["finding"]]


def _fault(fault: dict[str, str], rows: Row) -> list[str]:
    row = rows[fault["name"]]
    names = [fault["name"].replace("-", " "), fault["program"].replace("_", " ")]
    return [*names, *(_words(row[str(lanes)]) for lanes in LANES)]


def _words(outcome: dict[str, Any]) -> str:
    verdict, traps = outcome["verdict"], outcome["traps"]
    shown = {"passed": "right", "endless": "no end"}.get(verdict, verdict)
    if not traps:
        return str(shown)
    counted = f"{traps} trap{'s' if traps > 1 else ''}"
    return counted if verdict == "passed" else f"{shown}, {counted}"


def _table(heading: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
