"""Findings as the protocol's diagnostics."""

from __future__ import annotations

from lsprotocol import types

from hipport.errors import printable
from hipport.lsp.checked_text import CheckedText
from hipport.lsp.text_map import TextMap
from hipport.model import Finding, Severity

SOURCE = "hipport"
_SEVERITIES = {
    Severity.BLOCKER: types.DiagnosticSeverity.Error,
    Severity.MANUAL: types.DiagnosticSeverity.Warning,
    Severity.REVIEW: types.DiagnosticSeverity.Information,
    Severity.INFO: types.DiagnosticSeverity.Hint,
}


def diagnostics(checked: CheckedText) -> list[types.Diagnostic]:
    """All that is to be said of a text, in the order of the text."""
    if checked.fault:
        return [_note(checked.fault, types.DiagnosticSeverity.Warning)]
    notes = [
        _note(f"read in part: {each}", types.DiagnosticSeverity.Information)
        for each in checked.notes
    ]
    found = []
    for each in checked.findings:
        rule = checked.rules.findings.get(each.code) if checked.rules else None
        if rule and rule.with_finding:
            continue  # The text alone does not say what the tree has.
        found.append(diagnostic(each, checked.text, rule.links if rule else ()))
    return notes + found


def diagnostic(finding: Finding, text: TextMap, links: tuple[str, ...]) -> types.Diagnostic:
    """A finding with its severity, its code, and where the first of the links says more."""
    start, end = text.offset_of(finding.start), text.offset_of(finding.end)
    advice = f" {finding.suggestion}" if finding.suggestion else ""
    return types.Diagnostic(
        range=text.range(start, max(start, end)),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(links[0]) if links else None,
        source=SOURCE,
        message=printable(f"{finding.message}.{advice}"),
    )


def _note(text: str, severity: types.DiagnosticSeverity) -> types.Diagnostic:
    start = types.Position(0, 0)
    return types.Diagnostic(
        types.Range(start, start), printable(text), severity=severity, source=SOURCE
    )
