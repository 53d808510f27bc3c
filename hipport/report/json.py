"""The report as JSON, schema hipport-report/1 (report.schema.json beside this file)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TextIO, TypeAlias

import msgspec

from hipport import __version__
from hipport.model import Explanation, FileReport, Finding, Fix, Report, Severity
from hipport.report.context import Context
from hipport.source.audit.decisions import at_each_place
from hipport.source.tree.source_lines import Lines

_Around: TypeAlias = "tuple[int, str] | None"
"""The first of the lines around a place, and their texts; as one text, as they may be many."""


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write one JSON object, keys and findings in a fixed order, with the lines around each.

    As it goes: the whole of a large report is never in memory a second time.
    """
    write_parts(_parts(report, context), out)


def write_parts(parts: Mapping[str, Any], out: TextIO) -> None:
    """Write one JSON object; values that are iterators become lists, element by element."""
    start = "{"
    for key, value in parts.items():
        out.write(f'{start}\n "{key}": ')
        if isinstance(value, Iterator):
            _write_list(value, out)
        else:
            out.write(indented(value, 1))
        start = ","
    out.write("\n}\n")


def _write_list(values: Iterator[Any], out: TextIO) -> None:
    start = "["
    for each in values:
        out.write(f"{start}\n  {indented(each, 2)}")
        start = ","
    out.write("[]" if start == "[" else "\n ]")


def indented(value: Any, depth: int) -> str:
    """A value as JSON in ASCII, its lines but the first moved to the right."""
    return _dumped(value).replace("\n", "\n" + " " * depth)


def _dumped(value: Any) -> str:
    """The faster writer knows neither escapes for other characters nor names that are not text."""
    try:
        data = msgspec.json.format(msgspec.json.encode(value), indent=1)
    except UnicodeEncodeError:
        data = b"\xff"
    return data.decode("ascii") if data.isascii() else json.dumps(value, indent=1)


def _parts(report: Report, context: Context) -> dict[str, Any]:
    """The report as plain values; lines and columns are 1-based, columns count characters."""
    excerpts = _excerpts_elsewhere(report, context.lines)
    return {
        "schema": "hipport-report/1",
        "tool": {"name": "hipport", "version": __version__},
        "command": report.command,
        "summary": _summary(report),
        "files": map(_file, report.files),
        "findings": (
            {
                **finding_object(finding, context),
                **_excerpt(finding, context.lines),
                **_further_places(finding, excerpts),
            }
            for finding in report.findings
        ),
        **({"edits": map(_edit, report.edits)} if report.edits else {}),
    }


def _edit(edit: Explanation) -> dict[str, Any]:
    """An edit and why it was made."""
    return {
        "path": edit.path,
        "line": edit.start.line,
        "column": edit.start.column,
        "end_line": edit.end.line,
        "end_column": edit.end.column,
        "old": edit.old,
        "new": edit.new,
        "rule": edit.rule,
        "places": list(edit.places),
        "evidence": edit.evidence,
        "headers": edit.proof.split(),
        "source": edit.source,
        "why": edit.why,
        "versions": edit.versions,
    }


def _summary(report: Report) -> dict[str, Any]:
    statuses = Counter(file.status for file in report.files)
    verifications = Counter(file.verification for file in report.files if file.verification)
    severities = Counter(finding.severity for finding in report.findings)
    places = sum(len(each.more) + 1 for each in report.findings)
    return {
        "files": len(report.files),
        **{
            status: statuses[status]
            for status in ("converted", "unchanged", "copied", "skipped", "failed")
        },
        **{status: statuses[status] for status in ("audited", "partial") if statuses[status]},
        **({"verification": dict(sorted(verifications.items()))} if verifications else {}),
        **({"options": report.options} if report.options else {}),
        "edits": sum(file.edits for file in report.files),
        "findings": {each.word: severities[each] for each in sorted(Severity, reverse=True)},
        **({"places": places} if places > len(report.findings) else {}),
        **({"notes": report.notes} if report.notes else {}),
        "libraries": {
            library: {"mapped": mapped, "uses": uses}
            for library, (mapped, uses) in sorted(report.uses.items())
        },
    }


def _file(file: FileReport) -> dict[str, Any]:
    return {
        "path": file.path,
        "output": file.output,
        "language": file.language,
        "edits": file.edits,
        "status": file.status,
        **({"reason": file.reason} if file.reason else {}),
        **({"verification": file.verification} if file.verification else {}),
    }


def finding_object(finding: Finding, context: Context) -> dict[str, Any]:
    """A finding as plain values; one in a binary file has no lines."""
    links = context.documentation(finding)
    return {
        "code": finding.code,
        "severity": finding.severity.word,
        "path": finding.path,
        "line": finding.start.line or None,
        "column": finding.start.column or None,
        "end_line": finding.end.line or None,
        "end_column": finding.end.column or None,
        **({"offset": finding.offset} if finding.offset is not None else {}),
        "symbol": finding.symbol,
        "message": finding.message,
        "suggestion": finding.suggestion,
        **({"fixed_by": finding.fixed_by} if finding.fixed_by else {}),
        **({"fix": _fix(finding.fix)} if finding.fix else {}),
        **({"links": links} if links else {}),
    }


def _excerpt(finding: Finding, lines: Lines) -> dict[str, Any]:
    """The lines around a finding: other programs show them, and so does a merged report."""
    return _shown(_around(finding, lines))


def _around(finding: Finding, lines: Lines) -> _Around:
    around = lines.around(finding.path, finding.start.line)
    return (around[0][0], "\n".join(text for _, text in around)) if around else None


def _shown(around: _Around) -> dict[str, Any]:
    return {"excerpt": {"line": around[0], "lines": around[1].split("\n")}} if around else {}


def _excerpts_elsewhere(report: Report, lines: Lines) -> dict[tuple[str, int], _Around]:
    """The lines around further places: files are read in their order, not in that of findings."""
    further = {_place(place) for each in report.findings for place in each.more}
    places = at_each_place(report.findings) if further else ()
    return {_place(each): _around(each, lines) for each in places if _place(each) in further}


def _place(finding: Finding) -> tuple[str, int]:
    return finding.path, finding.start.line


def _further_places(
    finding: Finding, excerpts: Mapping[tuple[str, int], _Around]
) -> dict[str, Any]:
    """Where else it is; what is said of a place only where that is another than of the first."""
    rows = []
    for each in finding.more:
        row: dict[str, Any] = {
            "path": each.path,
            "line": each.start.line or None,
            "column": each.start.column or None,
            "end_line": each.end.line or None,
            "end_column": each.end.column or None,
        }
        texts = {name: getattr(each, name) for name in ("code", "symbol", "message", "suggestion")}
        row |= {name: text for name, text in texts.items() if text != getattr(finding, name)}
        if each.severity != finding.severity:
            row["severity"] = each.severity.word
        if each.fix:
            row["fix"] = _fix(each.fix)
        rows.append({**row, **_shown(excerpts.get(_place(each)))})
    return {"places": rows} if rows else {}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "rule": fix.rule,
        "safety": fix.safety,
        "edits": [
            {
                "line": each.start.line,
                "column": each.start.column,
                "end_line": each.end.line,
                "end_column": each.end.column,
                "text": each.text,
            }
            for each in fix.replacements
        ],
    }
