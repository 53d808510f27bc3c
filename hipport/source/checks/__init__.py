"""Runs the findings that rules/checks describes.

A rule with `names` alone is a pattern: each use of a name is reported. A rule with `check` names
the module of this package whose `check(unit, rule)` judges the uses.
"""

from __future__ import annotations

import importlib

from hipport.model import Span
from hipport.source.rules import FindingRule, parse_version
from hipport.source.tokens import skip
from hipport.source.unit import Unit, Use


def run_checks(unit: Unit) -> None:
    """Run every check whose names the file uses."""
    for rule in unit.rules.findings.values():
        triggered = rule.trigger and rule.trigger in unit.code.code
        if rule.language != "cuda" or (rule.names.isdisjoint(unit.uses) and not triggered):
            continue
        if rule.rocm_until and unit.options.rocm >= parse_version(rule.rocm_until):
            continue
        if rule.check:
            importlib.import_module(f"{__name__}.{rule.check}").check(unit, rule)
        else:
            _report_uses(unit, rule)


def _report_uses(unit: Unit, rule: FindingRule) -> None:
    lines: set[int] = set()
    for use in unit.of(rule.names):
        if use.qualifier or use.is_pasted or not _stands_where(unit, use, rule.where):
            continue
        line = unit.code.position(use.span.start).line
        if rule.once_per_line and line in lines:
            continue
        lines.add(line)
        unit.report(rule.id, use.span, rule.symbol or use.name)


def _stands_where(unit: Unit, use: Use, where: str) -> bool:
    if where == "condition":
        directive = unit.code.directive_at(use.span.start)
        return directive is not None and directive.keyword in ("if", "ifdef", "ifndef", "elif")
    if where == "namespace":
        return is_namespace(unit, use.span)
    return True


def is_namespace(unit: Unit, span: Span) -> bool:
    """Whether the name qualifies another, or is a using directive's or namespace alias's."""
    text = unit.code.code
    after = skip(text, span.end)
    if text.startswith("::", after):
        return True
    start = max(text.rfind(mark, 0, span.start) for mark in ";{}\n")
    words = text[start + 1 : span.start].split()
    return (
        text.startswith(";", after)
        and "namespace" in words
        and (words[0] == "using" or "=" in words)
    )
