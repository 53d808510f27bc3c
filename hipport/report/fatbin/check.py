"""Writers for `hipport fatbin check`."""

from __future__ import annotations

import sys
from typing import Any

from hipport.fatbin.questions.served_devices import Answer
from hipport.fatbin.target_id import TargetId
from hipport.model import Finding
from hipport.report.fatbin.text import safe

_LISTED = 4
"""Bundles that a line names; it counts the others."""
Row = tuple[str, str, str]
"""Verdict, what it is about, where and why."""


def write(answers: list[Answer], findings: list[Finding], failing: set[str], form: str) -> None:
    """What fails; then for each file and device what serves it; then the other findings."""
    if form == "json":
        _write_json(answers, findings, failing)
        return
    rows = _failures(answers)
    rows += [_finding(f, "fail") for f in findings if f.code in failing]
    rows += _served(answers)
    rows += [_finding(f, f.severity.word) for f in findings if f.code not in failing]
    if form == "rich":
        from hipport.report.fatbin.rich import write_table

        write_table("check", ("result", "what", "where"), rows)
        return
    for verdict, what, where in rows:
        sys.stdout.write(f"{verdict:<7} {what:<16} {safe(where)}\n")
    if not rows:
        sys.stdout.write("nothing found\n")


def _finding(finding: Finding, verdict: str) -> Row:
    return verdict, finding.code, f"{finding.path}: {finding.message}"


def _failures(answers: list[Answer]) -> list[Row]:
    """A line for each file, device and reason, with the bundles it is true of."""
    parts: dict[tuple[str, TargetId, str, str], list[str]] = {}
    for answer in answers:
        if not answer.runs:
            key = (answer.path, answer.device, answer.reason, answer.hint)
            parts.setdefault(key, []).append(answer.part)
    rows = []
    for (path, device, reason, hint), found in parts.items():
        where = f"{path}: {_some(found)}" if any(found) else path
        rows.append(("fail", str(device), f"{where}: {reason}"))
        if hint:
            rows.append(("hint", str(device), f"{path}: {hint}"))
    return rows


def _some(parts: list[str]) -> str:
    if len(parts) <= _LISTED:
        return ", ".join(parts)
    return f"{', '.join(parts[:_LISTED])} and {len(parts) - _LISTED} more"


def _served(answers: list[Answer]) -> list[Row]:
    """A line for each file and device: how much of the file serves it, and with what."""
    found: dict[tuple[str, TargetId], list[Answer]] = {}
    for answer in answers:
        found.setdefault((answer.path, answer.device), []).append(answer)
    rows = []
    for (path, device), own in found.items():
        served = [answer for answer in own if answer.runs]
        if not served:
            continue
        by = ", ".join(dict.fromkeys(map(_by, served)))
        if len(own) == 1:
            rows.append(("ok", str(device), f"{own[0].where}: {by}"))
        elif len(served) == len(own):
            rows.append(("ok", str(device), f"{path}: all {len(own)} bundles: {by}"))
        else:
            some = f"{len(served)} of {len(own)} bundles"
            rows.append(("partly", str(device), f"{path}: {some}: {by}"))
    return rows


def _by(answer: Answer) -> str:
    how = " (compiled at run time)" if answer.compiled_at_run_time else ""
    return " and ".join(str(entry.target) for entry in answer.by) + how


def _write_json(answers: list[Answer], findings: list[Finding], failing: set[str]) -> None:
    from hipport.report.fatbin.json import write

    devices: list[dict[str, Any]] = [
        {
            "device": str(answer.device),
            "where": answer.where,
            "runs": answer.runs,
            "entry": answer.by[0].id if answer.by else None,
            "entries": [entry.id for entry in answer.by],
            "reason": answer.reason or None,
            "hint": answer.hint or None,
            "compiled_at_run_time": answer.compiled_at_run_time,
        }
        for answer in answers
    ]
    found = [
        {
            "check": finding.code,
            "severity": finding.severity.word,
            "fails": finding.code in failing,
            "file": finding.path,
            "offset": finding.offset,
            "symbol": finding.symbol,
            "message": finding.message,
            "suggestion": finding.suggestion,
        }
        for finding in findings
    ]
    write("check", {"devices": devices, "findings": found})
