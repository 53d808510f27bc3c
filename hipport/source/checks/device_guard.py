"""Macros by which code asks for CUDA's compiler or a device architecture."""

from __future__ import annotations

import re

from hipport.model import Severity
from hipport.source.rules import FindingRule
from hipport.source.unit import Unit, Use

_CONDITIONS = frozenset(("if", "ifdef", "ifndef", "elif"))


def check(unit: Unit, rule: FindingRule) -> None:
    """Rename the macro where HIP has an equivalent for this use; report it, once a line."""
    reported: set[tuple[str, int]] = set()
    for use in unit.of(rule.names):
        if use.is_pasted:
            continue
        new = _equivalent(unit, rule, use)
        if new:
            unit.edit(use.span.start, use.span.end, new, f"check:{rule.id}")
        line = unit.code.position(use.span.start).line
        if (use.name, line) in reported:
            continue
        reported.add((use.name, line))
        reason = f"`{new}` took its place" if new else "a test of it fails silently"
        severity = Severity.INFO if new else None
        unit.report(rule.id, use.span, use.name, {"reason": reason}, severity=severity)


def _equivalent(unit: Unit, rule: FindingRule, use: Use) -> str:
    renamed: str = rule.data.get("rename", {}).get(use.name, "")
    existence: str = rule.data.get("existence", {}).get(use.name, "")
    return renamed or (existence if _asks_only_existence(unit, use) else "")


def _asks_only_existence(unit: Unit, use: Use) -> bool:
    """Whether the whole condition asks no more of the macro than to be defined."""
    directive = unit.code.directive_at(use.span.start)
    if directive is None or directive.keyword not in _CONDITIONS:
        return False
    if directive.keyword in ("ifdef", "ifndef"):
        return True
    condition = unit.code.code[directive.body.start : directive.body.end]
    name = re.escape(use.name)
    without = re.sub(rf"\bdefined\s*(?:\(\s*{name}\s*\)|{name}\b)", "", condition)
    return not re.search(rf"\b{name}\b", without)
