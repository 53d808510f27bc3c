"""Makes docs/equivalence.md from the results of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from benchmarks.equivalence.prepare import CONVERTED, HERE, facts, names

Row = dict[str, Any]


def document(results: dict[str, Any]) -> str:
    """The page, from what `running` wrote."""
    rows: list[Row] = [_checked_again(row) for row in results["rows"]]
    converted = {row["program"]: row for row in rows if row["variant"] == CONVERTED}
    faults = {(row["program"], row["variant"]): row for row in rows if row["variant"] != CONVERTED}
    page = (HERE / "page.md").read_text("utf-8")
    return page.format(
        programs=len(names()),
        summary=_summary(converted, faults, results),
        table=_table(["Program", "Device code", "Output"], map(_program, converted.values())),
        controls=_table(
            ["Program", "Fault", "Device code", "Output", "Seen"],
            (_control(fault, faults) for fault in facts()["fault"]),
        ),
    )


def _checked_again(row: Row) -> Row:
    """A row with what is known by now to vary taken out of the outputs, which are compared anew."""
    known = facts()["program"].get(row["program"], {}).get("varies", [])
    if row["verdict"] != "different" or not known:
        return row
    outputs = [row[key]["output"] for key in ("original", "other")]
    for pattern, _ in known:
        outputs = [re.sub(pattern, "...", output) for output in outputs]
    is_same = outputs[0] == outputs[1] and row["original"]["code"] == row["other"]["code"]
    return {**row, "verdict": "same" if is_same else "different"}


def _summary(converted: dict[str, Row], faults: dict[Any, Row], results: dict[str, Any]) -> str:
    code = Counter(row["device_code"] for row in converted.values())
    output = Counter(row["verdict"].partition(":")[0] for row in converted.values())
    seen = sum(_is_seen(fault, faults) for fault in facts()["fault"])
    return "\n".join(
        [
            f"On {results['gpu'] or 'an unknown GPU'}; nvcc {results['nvcc']}.",
            "",
            f"- Device code: {_counted(code)}.",
            f"- Output: {_counted(output)}.",
            f"- Faults put in: {len(facts()['fault'])}, seen: {seen}.",
        ]
    )


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {word}" for word, number in counts.most_common())


def _program(row: Row) -> list[str]:
    known = facts()["program"].get(row["program"], {})
    code = row["device_code"]
    if known.get("device_code"):
        code += f": {known['device_code']}"
    output = row["verdict"]
    if known.get("varies"):
        output += " but for " + "; ".join(why for _, why in known["varies"])
    return [row["program"], code, output]


def _control(fault: dict[str, str], faults: dict[Any, Row]) -> list[str]:
    row = faults[fault["program"], fault["name"]]
    seen = "yes" if _is_seen(fault, faults) else "**no**"
    name = fault["name"].replace("-", " ")
    return [fault["program"], name, row["device_code"], row["verdict"], seen]


def _is_seen(fault: dict[str, str], faults: dict[Any, Row]) -> bool:
    """Whether the comparison noticed a fault where it had to."""
    row = faults[fault["program"], fault["name"]]
    key = "verdict" if fault["seen_by"] == "output" else "device_code"
    return bool(row[key] == "different")


def _table(heading: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
