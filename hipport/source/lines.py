"""Findings by pattern in files of lines: build files, scripts, requirements, containers."""

from __future__ import annotations

import re

from hipport.model import Finding, Span
from hipport.source.code import Code
from hipport.source.rules import FindingRule, RuleSet

_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\n]*", re.MULTILINE)


def line_findings(data: bytes, path: str, kind: str, rules: RuleSet) -> list[Finding]:
    """All matches of the patterns for this kind of file, in order, comments left out."""
    text = data.decode("latin-1")
    wanted = [
        rule
        for rule in rules.findings.values()
        if kind in rule.languages and rule.patterns and any(hint in text for hint in rule.hints)
    ]
    if not wanted:
        return []
    code = Code.of_lines(data, _COMMENT.sub(lambda match: " " * len(match[0]), text))
    found = [each for rule in wanted for each in _matches(rule, code, path)]
    return sorted(found, key=lambda each: (each.start, each.code))


def _matches(rule: FindingRule, code: Code, path: str) -> list[Finding]:
    found: dict[int, Finding] = {}
    for pattern in rule.patterns:
        for match in re.finditer(pattern, code.code, re.MULTILINE):
            span = Span(*match.span("symbol" if "symbol" in match.groupdict() else 0))
            symbol = code.slice(span).strip().encode("latin-1").decode("utf-8", "replace")
            words = {"symbol": symbol}
            start = code.position(span.start)
            found.setdefault(
                start.line if rule.once_per_line else span.start,
                Finding(
                    code=rule.id,
                    severity=rule.severity,
                    message=rule.message.format_map(words),
                    suggestion=rule.suggestion.format_map(words),
                    symbol=symbol,
                    path=path,
                    start=start,
                    end=code.position(span.end),
                ),
            )
    return list(found.values())
