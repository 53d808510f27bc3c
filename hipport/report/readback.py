"""Reads reports of schema hipport-report/1 back, and joins those of several runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from msgspec.structs import replace

from hipport.errors import HipportError, UsageError, printable
from hipport.files import read
from hipport.model import FileReport, Finding, Fix, Position, Replacement, Report, Severity
from hipport.named_tuples import NamedTuple
from hipport.source.audit.decisions import at_each_place
from hipport.source.tree.source_lines import LONGEST, REACH, KnownLines

_LARGEST = 512 << 20
_Value = TypeVar("_Value", str, int, list[Any], dict[str, Any])


class ReadBack(NamedTuple):
    """A report, and for each place of its findings the path and the lines there by number."""

    report: Report
    excerpts: list[tuple[str, dict[int, str]]]


def read_report(path: Path) -> ReadBack:
    """The report in a JSON file; raises HipportError for any other file."""
    try:
        content = json.loads(read(path, _LARGEST))
        rows = (row for each in content["findings"] for row in _rows(each))
        return ReadBack(_report(content), [(_path(row["path"]), _excerpt(row)) for row in rows])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise HipportError(
            f"{path}: not a report of schema hipport-report/1 ({error})",
            remedy="write it with --format json",
        ) from error


def joined(reports: Iterable[tuple[Path, ReadBack]], *, by_name: bool) -> tuple[Report, KnownLines]:
    """One report of all; with `by_name` each path begins with the stem of its report's file.

    Each of its findings has one place. Raises UsageError if two reports have the same file, or the
    same name.
    """
    whole, lines = Report("audit"), KnownLines()
    origin: dict[str, Path] = {}
    options: dict[str, dict[str, None]] = {}
    for source, (report, excerpts) in reports:
        prefix = PurePosixPath(printable(source.stem) if by_name else "")
        for file in report.files:
            file.path = str(prefix / file.path)
            if file.path in origin:
                remedy = "name the files differently" if by_name else "add --by-name"
                raise UsageError(
                    f"{file.path} is in {origin[file.path]} and in {source}", remedy=remedy
                )
            origin[file.path] = source
            whole.files.append(file)
        whole.findings.extend(
            replace(each, path=str(prefix / each.path)) for each in at_each_place(report.findings)
        )
        for path, excerpt in excerpts:
            lines.add(str(prefix / path), excerpt)
        for library, (mapped, uses) in report.uses.items():
            before = whole.uses.get(library, (0, 0))
            whole.uses[library] = (before[0] + mapped, before[1] + uses)
        whole.notes += report.notes
        for key, value in report.options.items():
            options.setdefault(key, {})[value] = None
    whole.uses = dict(sorted(whole.uses.items()))
    # Reports for several releases or GPUs name them all.
    whole.options = {key: " or ".join(values) for key, values in options.items()}
    return whole, lines


def _report(content: dict[str, Any]) -> Report:
    if content["schema"] != "hipport-report/1":
        raise ValueError("the schema is another")
    report = Report(_typed(content["command"], str))
    report.files = [_file(each) for each in _typed(content["files"], list)]
    report.findings = [_finding(each) for each in _typed(content["findings"], list)]
    summary = _typed(content["summary"], dict)
    report.uses = dict(_uses(summary))
    report.notes = _number(summary.get("notes", 0))
    report.options = {
        printable(key): printable(_typed(value, str))
        for key, value in _typed(summary.get("options", {}), dict).items()
    }
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
        reason=_typed(row.get("reason", ""), str),
        verification=_typed(row.get("verification", ""), str),
    )


def _rows(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A finding at each of its places, as if it were alone there."""
    yield row
    own = ("places", "excerpt", "fix")
    common = {key: value for key, value in row.items() if key not in own}
    for place in _typed(row.get("places", []), list):
        yield {**common, **_typed(place, dict)}


def _finding(row: dict[str, Any]) -> Finding:
    first, *more = map(_at_place, _rows(row))
    return replace(first, more=tuple(more))


def _at_place(row: dict[str, Any]) -> Finding:
    texts = (row["code"], row["message"], row["suggestion"], row["symbol"])
    code, message, suggestion, symbol = (_typed(each, str) for each in texts)
    offset = row.get("offset")
    return Finding(
        code=printable(code),
        severity=Severity.parse(_typed(row["severity"], str)),
        message=message,
        suggestion=suggestion,
        symbol=symbol,
        path=_path(row["path"]),
        start=_position(row["line"], row["column"]),
        end=_position(row["end_line"], row["end_column"]),
        offset=None if offset is None else _number(offset),
        fix=_fix(row["fix"]) if "fix" in row else None,
        fixed_by=printable(_typed(row.get("fixed_by", ""), str)),
    )


def _fix(row: dict[str, Any]) -> Fix:
    edits = (_typed(each, dict) for each in _typed(row["edits"], list))
    return Fix(
        rule=_typed(row["rule"], str),
        safety=_typed(row["safety"], str),
        replacements=tuple(
            Replacement(
                start=_position(each["line"], each["column"]),
                end=_position(each["end_line"], each["end_column"]),
                text=_typed(each["text"], str),
            )
            for each in edits
        ),
    )


def _excerpt(row: dict[str, Any]) -> dict[int, str]:
    if "excerpt" not in row:
        return {}
    first = _number(row["excerpt"]["line"])
    lines = _typed(row["excerpt"]["lines"], list)[: 2 * REACH + 1]
    if any("\n" in _typed(line, str) for line in lines):
        raise ValueError("several lines are given as one")
    return {number: line[:LONGEST] for number, line in enumerate(lines, first)}


def _position(line: object, column: object) -> Position:
    """A place in a text; null for a finding in a binary file."""
    return Position(_number(0 if line is None else line), _number(0 if column is None else column))


def _typed(value: object, kind: type[_Value]) -> _Value:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is not of type {kind.__name__}")
    if isinstance(value, str):
        value.encode()  # JSON may hold half of a surrogate pair; that is a ValueError.
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
        raise ValueError(f"{text!r:.40} is not a path inside the tree")
    return text
