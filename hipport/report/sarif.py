"""Findings as SARIF 2.1.0, within what GitHub's code scanning takes.

Its limits (GitHub Docs, "SARIF support for code scanning"): 25,000 results a run, texts of 1,024
characters in a rule, no empty text, one location a result.

So each place of a finding is a result: an alert opens with the line that a pull request adds, and
closes with the line that goes. Those of one finding have the same `finding` among their properties.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from typing import Any, TextIO
from urllib.parse import quote

from hipport import __version__
from hipport.errors import printable
from hipport.model import Finding, Fix, Report, Severity
from hipport.report.context import Context, column_of, count, line_of
from hipport.report.summary import unread
from hipport.source.audit.baseline import Fingerprint, fingerprints
from hipport.source.audit.decisions import at_each_place

_MOST_RESULTS = 25_000
_MOST_NOTICES = 1_000
_LONGEST = 1024
_LEVELS = {
    Severity.BLOCKER: ("error", "error"),
    Severity.MANUAL: ("warning", "warning"),
    Severity.REVIEW: ("note", "recommendation"),
    Severity.INFO: ("note", "recommendation"),
}
"""Severity -> SARIF's level, and GitHub's `problem.severity`."""


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write one run; of more results than GitHub takes, the worst, with a notice of the rest."""
    found, finding_of = report.findings, _finding_of(report.findings)
    known = fingerprints(at_each_place(found), context.lines)
    pairs = zip(at_each_place(found), known, strict=True)
    shown = nsmallest(_MOST_RESULTS, pairs, key=lambda pair: -pair[0].severity)
    codes = {each.code: each for each, _ in reversed(shown)}
    order = sorted(codes)
    indices = {code: index for index, code in enumerate(order)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "hipport",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(codes[code], context) for code in order],
            }
        },
        "automationDetails": {"id": f"hipport/{report.command}/"},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(each, indices[each.code], known, finding_of.get(each, {}), context)
            for each, known in shown
        ],
    }
    notices = list(_notices(report, sum(len(each.more) + 1 for each in found) - len(shown)))
    if notices:
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notices}]
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    json.dump({"$schema": schema, "version": "2.1.0", "runs": [run]}, out)
    out.write("\n")


def _notices(report: Report, left_out: int) -> Iterator[dict[str, Any]]:
    """What the results do not say: that some did not fit, and which files were not read."""
    if left_out:
        text = f"{count(left_out, 'finding')} of lower severity did not fit and were left out."
        yield {"level": "warning", "message": {"text": text}}
    for file in unread(report)[:_MOST_NOTICES]:
        place = {"physicalLocation": {"artifactLocation": {"uri": quote(file.path)}}}
        text = printable(
            f"{'read in part' if file.status == 'partial' else 'skipped'}: {file.reason}"
        )
        yield {"level": "warning", "message": {"text": text}, "locations": [place]}


def _rule(example: Finding, context: Context) -> dict[str, Any]:
    rule = context.rules.get(example.code)
    severity = rule.severity if rule else example.severity
    title = context.title(example)
    advice = rule.suggestion if rule else ""
    # A suggestion that is filled in for each finding is given with the finding only.
    help_text = title if not advice or "{" in advice else advice
    level, problem = _LEVELS[severity]
    see = {"helpUri": rule.links[0]} if rule and rule.links else {}
    return {
        "id": example.code,
        "shortDescription": {"text": _text(title)},
        "fullDescription": {"text": _text(help_text)},
        "help": {"text": printable(help_text)},
        **see,
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["portability", severity.word], "problem.severity": problem},
    }


def _finding_of(findings: Iterable[Finding]) -> dict[Finding, dict[str, Any]]:
    """What the places of a finding with several have in common: a number, and how many they are."""
    numbered = enumerate((each for each in findings if each.more), 1)
    return {
        place: {"finding": f"{each.code}/{number}", "places": len(each.places)}
        for number, each in numbered
        for place in each.places
    }


def _result(
    finding: Finding, index: int, known: Fingerprint, whole: dict[str, Any], context: Context
) -> dict[str, Any]:
    line, column = line_of(finding), column_of(finding)
    # GitHub shows no result without a line: one in a binary file gets the first.
    region = {"startLine": line, "startColumn": column}
    if finding.end > (line, column):
        region |= {"endLine": finding.end.line, "endColumn": finding.end.column}
    if finding.offset is not None:
        region["byteOffset"] = finding.offset
    advice = f" {finding.suggestion}" if finding.suggestion else ""
    links = context.documentation(finding)
    properties = {
        **whole,
        **({"fixed_by": finding.fixed_by} if finding.fixed_by else {}),
        **({"links": links} if links else {}),
    }
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity][0],
        "message": {"text": printable(f"{finding.message}.{advice}")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.path)},
                    "region": region,
                }
            }
        ],
        **({"fixes": [_fix(finding.fix, finding.path)]} if finding.fix else {}),
        **({"properties": properties} if properties else {}),
        "partialFingerprints": {"primaryLocationLineHash": f"{known.line}:{known.number}"},
    }


def _fix(fix: Fix, path: str) -> dict[str, Any]:
    """A fix object, SARIF 2.1.0, 3.55."""
    texts = ", ".join(dict.fromkeys(each.text for each in fix.replacements if each.text))
    replacements = [
        {
            "deletedRegion": {
                "startLine": each.start.line,
                "startColumn": each.start.column,
                "endLine": each.end.line,
                "endColumn": each.end.column,
            },
            "insertedContent": {"text": each.text},
        }
        for each in fix.replacements
    ]
    change = {"artifactLocation": {"uri": quote(path)}, "replacements": replacements}
    description = printable(f"Write {texts or 'the edit'} ({fix.safety}).")
    return {"description": {"text": description}, "artifactChanges": [change]}


def _text(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
