"""Writers for `hipport fatbin check`."""

from __future__ import annotations

import sys
from typing import Any

from hipport.fatbin.questions.served_devices import Answer
from hipport.model import Finding
from hipport.report.fatbin.text import safe


def write(answers: list[Answer], findings: list[Finding], failing: set[str], form: str) -> None:
    """The answers for each device, then the findings; `failing` checks are marked."""
    if form == "json":
        _write_json(answers, findings, failing)
        return
    rows = [(_verdict(answer), str(answer.device), _reason(answer)) for answer in answers]
    rows += [
        ("fail" if f.code in failing else f.severity.word, f.code, f"{f.path}: {f.message}")
        for f in findings
    ]
    if form == "rich":
        from hipport.report.fatbin.rich import write_table

        write_table("check", ("result", "what", "where"), [tuple(map(safe, r)) for r in rows])
        return
    for verdict, what, where in rows:
        sys.stdout.write(f"{verdict:<7} {what:<16} {safe(where)}\n")
    if not rows:
        sys.stdout.write("nothing found\n")


def _verdict(answer: Answer) -> str:
    return "fail" if answer.by is None else "ok"


def _reason(answer: Answer) -> str:
    if answer.by is None:
        return f"{answer.where}: no code for {answer.device}"
    how = " (compiled at run time)" if answer.compiled_at_run_time else ""
    return f"{answer.where}: {answer.by.target}{how}"


def _write_json(answers: list[Answer], findings: list[Finding], failing: set[str]) -> None:
    from hipport.report.fatbin.json import write

    devices: list[dict[str, Any]] = [
        {
            "device": str(answer.device),
            "where": answer.where,
            "runs": answer.by is not None,
            "entry": answer.by.id if answer.by is not None else None,
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
