"""Turns what the compiler said into findings, and says what became of each unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.model import FileReport, Finding, Position, Severity
from hipport.rulebook.load import load
from hipport.verification.error_causes import Kind, Verdict, explain
from hipport.verification.header_compatibility import Fit, fit
from hipport.verification.known_files import UserFiles
from hipport.verification.model import Parsed, Unit
from hipport.verification.toolchain import Toolchain

_EXPLAINED = {
    Kind.FOUND: "{code}: {message}",
    Kind.FOLLOWS: "it follows from another: {cause}",
    Kind.LEFT_OUT: "{cause} is under a condition that does not hold: {message}",
    Kind.OLD_HEADERS: "{cause} is newer than the HIP headers used",
    Kind.NO_VALUE: "the build defines {cause}, and its value is not known here: name it with -D",
}
_UNCHECKED = (Kind.NO_VALUE, Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.UNSURE, Kind.HEADERS)


def judge(
    unit: Unit, passes: Sequence[Parsed], files: UserFiles, toolchain: Toolchain
) -> tuple[FileReport, list[Finding], list[Verdict]]:
    """What became of a unit, the findings, and the verdicts behind them.

    The status is `verified`, `rejected`, `unchecked` where headers are missing or do not fit, or
    `failed` where a pass could not be made.
    """
    headers = fit({path for each in passes for path in each.included}, toolchain)
    verdicts = explain(passes, files, headers)
    unsure = sum(each.kind is Kind.UNSURE for each in verdicts)
    told = [each for each in verdicts if each.kind not in (Kind.HEADERS, Kind.UNSURE)]
    findings = [_finding(each, files, unit, unsure) for each in told]
    findings += _of_headers(verdicts, unit, headers)
    findings += _problems(passes, unit)
    status = "verified"
    if verdicts:
        status = "unchecked" if all(each.kind in _UNCHECKED for each in verdicts) else "rejected"
    if any(each.problem for each in passes):
        status = "failed"
    return FileReport(unit.name, unit.language, status), findings, verdicts


def _finding(verdict: Verdict, files: UserFiles, unit: Unit, unsure: int) -> Finding:
    """A finding at the place in the original."""
    file = files.of(verdict.place.path)
    name = file.origin.name if file else unit.name
    line = file.original_line(verdict.place.line) if file else 1
    column = verdict.place.column if file else 1
    error = verdict.error.message
    if verdict.kind is Kind.COMMAND:
        return _made("HP-VER-006", name, line, column, "", problem=error, pass_="")
    if verdict.kind in (Kind.NO_LIBRARY, Kind.NO_HEADER):
        code = "HP-VER-003" if verdict.kind is Kind.NO_LIBRARY else "HP-VER-004"
        rest = "nothing else failed" if not unsure else _count(unsure) + " may follow"
        return _made(code, name, line, column, verdict.cause, header=verdict.cause, rest=rest)
    if verdict.kind is Kind.SILENT:
        return _made("HP-VER-002", name, line, column, "", error=error)
    by = verdict.finding
    words = _EXPLAINED[verdict.kind].format(
        code=by.code if by else "", message=by.message if by else "", cause=verdict.cause
    )
    severity = Severity.MANUAL
    if verdict.kind in (Kind.OLD_HEADERS, Kind.NO_VALUE):
        severity = Severity.REVIEW
    elif by:
        severity = max(by.severity, severity)
    advice = by.suggestion if by else ""
    symbol = by.symbol if by else ""
    return _made(
        "HP-VER-001",
        name,
        line,
        column,
        symbol,
        severity,
        error=error,
        explanation=words,
        advice=advice,
    )


def _of_headers(verdicts: Sequence[Verdict], unit: Unit, headers: Fit) -> Iterator[Finding]:
    """One finding for all errors in headers: they are a matter of the installation."""
    found = [each for each in verdicts if each.kind is Kind.HEADERS]
    if found:
        first = found[0]
        yield _made(
            "HP-VER-005",
            unit.name,
            1,
            1,
            "",
            count=_count(len(found)),
            place=f"{first.place.path}:{first.place.line}",
            error=first.error.message,
            why=f"; {headers.reason}" if headers.reason else "",
        )


def _count(errors: int) -> str:
    return "1 error" if errors == 1 else f"{errors} errors"


def _problems(passes: Sequence[Parsed], unit: Unit) -> Iterator[Finding]:
    for each in passes:
        if each.problem:
            where = f" on {each.target}" if each.target else " on the host"
            yield _made("HP-VER-006", unit.name, 1, 1, "", problem=each.problem, pass_=where)


def _made(
    code: str,
    path: str,
    line: int,
    column: int,
    symbol: str,
    severity: Severity | None = None,
    **words: str,
) -> Finding:
    words = {key.rstrip("_"): value for key, value in words.items()}
    place = Position(max(line, 1), max(column, 1))
    return load().findings[code].finding(path, symbol, place, place, words, severity=severity)
