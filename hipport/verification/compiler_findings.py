"""Turns the compiler's messages into findings, and gives each unit a status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hipport.model import FileReport, Finding, Position, Severity
from hipport.rulebook.load import load
from hipport.rulebook.model import Version
from hipport.verification.error_causes import Kind, Verdict, explain
from hipport.verification.header_compatibility import Fit, fit
from hipport.verification.known_files import UserFiles
from hipport.verification.model import Parsed, Unit
from hipport.verification.toolchain import Toolchain

_EXPLAINED = {
    Kind.FOUND: "{code}: {message}",
    Kind.FOLLOWS: "it follows from another: {cause}",
    Kind.LEFT_OUT: "{cause} is under a condition that does not hold: {message}",
    Kind.NO_VALUE: "the build defines {cause}, and its value is not known here: name it with -D",
}
_MOST_NAMES = 3
_UNCHECKED = (
    Kind.OLD_HEADERS,
    Kind.NO_VALUE,
    Kind.NO_LIBRARY,
    Kind.NO_HEADER,
    Kind.UNSURE,
    Kind.HEADERS,
)
_NOT_BY_UNIT = (Kind.OLD_HEADERS, Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.UNSURE)
"""A problem that is one finding for all units."""


def judge(
    unit: Unit, passes: Sequence[Parsed], files: UserFiles, toolchain: Toolchain
) -> tuple[FileReport, list[Finding], list[Verdict]]:
    """A unit's status, its findings, and the verdicts behind them.

    The status is `verified`, `rejected`, `unchecked` where headers are missing or do not fit, or
    `failed` where a pass could not be made.
    """
    headers = fit({path for each in passes for path in each.included}, toolchain)
    verdicts = explain(passes, files, headers)
    listed = [each for each in verdicts if each.kind not in (Kind.HEADERS, *_NOT_BY_UNIT)]
    findings = [_finding(each, files, unit) for each in listed]
    findings += _of_headers(verdicts, unit, headers)
    findings += _problems(passes, unit)
    status = "verified"
    if verdicts:
        status = "unchecked" if all(each.kind in _UNCHECKED for each in verdicts) else "rejected"
    if any(each.problem for each in passes):
        status = "failed"
    return FileReport(unit.name, unit.language, status), findings, verdicts


def _place(verdict: Verdict, files: UserFiles, unit: Unit) -> tuple[str, int, int]:
    """The place in the original; for a file outside the project, the beginning of the unit."""
    file = files.of(verdict.place.path)
    if file is None:
        return unit.name, 1, 1
    return file.origin.name, file.original_line(verdict.place.line), verdict.place.column


def _finding(verdict: Verdict, files: UserFiles, unit: Unit) -> Finding:
    """A finding at the place in the original."""
    name, line, column = _place(verdict, files, unit)
    error = verdict.error.message
    if verdict.kind is Kind.COMMAND:
        return _made("HP-VER-006", name, line, column, "", problem=error, pass_="")
    if verdict.kind is Kind.SILENT:
        return _made("HP-VER-002", name, line, column, "", error=error)
    by = verdict.finding
    words = _EXPLAINED[verdict.kind].format(
        code=by.code if by else "", message=by.message if by else "", cause=verdict.cause
    )
    severity = Severity.MANUAL
    if verdict.kind is Kind.NO_VALUE:
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


class Causes:
    """The causes of all units' errors, and the findings that all units share."""

    def __init__(self, toolchain: Toolchain) -> None:
        self._toolchain = toolchain
        self._errors: Counter[str] = Counter()
        self._missing: dict[str, tuple[Verdict, tuple[str, int, int]]] = {}
        self._following: Counter[str] = Counter()
        self._newer: dict[str, tuple[str, int, int]] = {}
        self._older = 0
        self._rocm: Version = ()

    def add(self, verdicts: Iterable[Verdict], files: UserFiles, unit: Unit, rocm: Version) -> None:
        """Add the result of a unit that was converted for a release of ROCm."""
        for each in verdicts:
            if each.kind is not Kind.UNSURE:
                self._errors[_root(each)] += 1
            if each.kind is Kind.OLD_HEADERS:
                self._newer.setdefault(each.cause, _place(each, files, unit))
                self._older += 1
                self._rocm = max(self._rocm, rocm)
            elif each.kind in (Kind.NO_LIBRARY, Kind.NO_HEADER):
                self._missing.setdefault(each.cause, (each, _place(each, files, unit)))
            elif each.kind is Kind.UNSURE:
                self._following[each.cause] += 1
                self._errors[_missing(each.cause)] += 1

    def counts(self) -> dict[str, int]:
        """Cause -> errors, with the causes of the most errors first."""
        return dict(self._errors.most_common())

    def findings(self) -> Iterator[Finding]:
        """One finding if the headers are too old, then one for each missing header."""
        if self._newer:
            first, place = next(iter(self._newer.items()))
            yield _made(
                "HP-VER-007",
                *place,
                first,
                headers=_release(self._toolchain.headers.version),
                rocm=_release(self._rocm),
                names=_names(list(self._newer)),
                count=_count(self._older),
            )
        for cause, (verdict, place) in self._missing.items():
            code = "HP-VER-003" if verdict.kind is Kind.NO_LIBRARY else "HP-VER-004"
            errors = self._following[cause]
            rest = f"{_count(errors)} may follow" if errors else "nothing else failed"
            yield _made(code, *place, cause, header=cause, rest=rest)


def _root(verdict: Verdict) -> str:
    """The cause of an error, in words that all errors of that cause share."""
    if verdict.finding:
        return f"{verdict.finding.code} {verdict.finding.symbol}".strip()
    if verdict.kind in (Kind.NO_LIBRARY, Kind.NO_HEADER):
        return _missing(verdict.cause)
    return {
        Kind.OLD_HEADERS: "HIP headers older than the code",
        Kind.HEADERS: "headers that do not fit",
        Kind.NO_VALUE: f"{verdict.cause} has no known value",
        Kind.COMMAND: "wrong arguments for the compiler",
    }.get(verdict.kind, "nothing had reported it")


def _missing(header: str) -> str:
    return f"{header} is missing"


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _release(version: Version) -> str:
    return ".".join(map(str, version))


def _of_headers(verdicts: Sequence[Verdict], unit: Unit, headers: Fit) -> Iterator[Finding]:
    """One finding for all errors in headers: the installation causes them."""
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
