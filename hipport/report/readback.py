"""Reads reports of schema hipport-report/1 back, and joins those of several runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from hipport.errors import HipportError, UsageError, printable
from hipport.files import read
from hipport.model import FileReport, Finding, Position, Report, Severity

_LARGEST = 512 << 20
_Value = TypeVar("_Value", str, int, list[Any], dict[str, Any])


def read_report(path: Path) -> Report:
    """The report in a JSON file; raises HipportError for any other file."""
    try:
        content = json.loads(read(path, _LARGEST))
        return _report(content)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise HipportError(
            f"{path}: not a report of schema hipport-report/1 ({error})",
            remedy="write it with --format json",
        ) from error


def joined(reports: Iterable[tuple[Path, Report]], *, by_name: bool) -> Report:
    """One report of all; with `by_name` each path begins with the stem of its report's file.

    Raises UsageError where a file stands in two reports, or two reports have one name.
    """
    whole = Report("audit")
    origin: dict[str, Path] = {}
    for source, report in reports:
        prefix = PurePosixPath(printable(source.stem) if by_name else "")
        for file in report.files:
            file.path = str(prefix / file.path)
            if file.path in origin:
                remedy = "name the files differently" if by_name else "add --by-name"
                raise UsageError(
                    f"{file.path} stands in {origin[file.path]} and in {source}", remedy=remedy
                )
            origin[file.path] = source
            whole.files.append(file)
        for each in report.findings:
            whole.findings.append(_moved(each, prefix))
        for library, (mapped, uses) in report.uses.items():
            before = whole.uses.get(library, (0, 0))
            whole.uses[library] = (before[0] + mapped, before[1] + uses)
    whole.uses = dict(sorted(whole.uses.items()))
    return whole


def _moved(finding: Finding, prefix: PurePosixPath) -> Finding:
    from dataclasses import replace

    return replace(finding, path=str(prefix / finding.path))


def _report(content: dict[str, Any]) -> Report:
    if content["schema"] != "hipport-report/1":
        raise ValueError("the schema is another")
    report = Report(_typed(content["command"], str))
    report.files = [_file(each) for each in _typed(content["files"], list)]
    report.findings = [_finding(each) for each in _typed(content["findings"], list)]
    report.uses = dict(_uses(_typed(content["summary"], dict)))
    return report


def _uses(summary: dict[str, Any]) -> Iterator[tuple[str, tuple[int, int]]]:
    for library, numbers in _typed(summary.get("libraries", {}), dict).items():
        mapped, uses = _number(numbers["mapped"]), _number(numbers["uses"])
        if mapped > uses:
            raise ValueError(f"{printable(library)}: more uses mapped than seen")
        yield library, (mapped, uses)


def _file(row: dict[str, Any]) -> FileReport:
    return FileReport(
        path=_path(row["path"]),
        language=_typed(row["language"], str),
        status=_typed(row["status"], str),
        output=_typed(row["output"] or "", str),
        edits=_number(row["edits"]),
    )


def _finding(row: dict[str, Any]) -> Finding:
    texts = (row["code"], row["message"], row["suggestion"], row["symbol"])
    code, message, suggestion, symbol = (_typed(each, str) for each in texts)
    return Finding(
        code=printable(code),
        severity=Severity.parse(_typed(row["severity"], str)),
        message=message,
        suggestion=suggestion,
        symbol=symbol,
        path=_path(row["path"]),
        start=Position(_number(row["line"]), _number(row["column"])),
        end=Position(_number(row["end_line"]), _number(row["end_column"])),
    )


def _typed(value: object, kind: type[_Value]) -> _Value:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _number(value: object) -> int:
    number = _typed(value, int)
    if not 0 <= number < 1 << 53:
        raise ValueError(f"{number!r:.40} is out of range")
    return number


def _path(value: object) -> str:
    """A path inside the tree: other tools open what the report names."""
    text = printable(_typed(value, str))
    path = PurePosixPath(text)
    if not text or path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{text!r:.40} is no path inside the tree")
    return text
