"""warpSize where the language wants a constant: HIP's is a value known at run time."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.device_code import counts
from hipport.source.names import constant_places
from hipport.source.names.constant_places import constant_place
from hipport.source.names.constants import definitions
from hipport.source.names.uses import Use
from hipport.source.names.variables import variable
from hipport.source.source_file import Unit

_REASONS = {
    constant_places.ASSERTION: "a static assertion",
    constant_places.BOUND: "an array bound",
    constant_places.CONDITION: "the condition of an if constexpr",
    constant_places.CONSTANT: "a constant",
    constant_places.LABEL: "a case label",
    constant_places.TEMPLATE: "a template argument",
    constant_places.WIDTH: "the width of a bit field",
}
_MAY_WANT = regex(r"[<\[:]|\b(?:static_assert|constexpr|enum|case)\b|[{,]\s*\w+\s*=")
"""Without any of these in the statement before it, a place need not be parsed for."""
_DEFINED = regex(r"\bdefined\s*\(?\s*\Z")
_LONGEST = 2_000


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use in an array bound, a template argument, a constant or an #if."""
    for use in unit.of(rule.names):
        if not use.qualifier and counts(unit, rule, use.span.start) and not _is_own(unit, use):
            reason = _reason(unit, use.span)
            if reason:
                unit.report(rule.id, use.span, use.name, {"reason": reason})


def _is_own(unit: Unit, use: Use) -> bool:
    """Whether the name is that of a member, or the file or its tree declares another."""
    if use.is_member or definitions(unit.code, unit.rules, use.name):
        return True
    return variable(unit.declarations, use.name, use.span.start) is not None


def _reason(unit: Unit, use: Span) -> str:
    text = unit.code.code
    directive = unit.code.directive_at(use.start)
    if directive is not None and directive.keyword in ("if", "elif"):
        return "" if _DEFINED.search(text[directive.body.start : use.start]) else "an #if"
    nearest = max(0, use.start - _LONGEST)
    start = max(nearest, *(text.rfind(mark, nearest, use.start) + 1 for mark in ";}"))
    if not _MAY_WANT.search(text, start, use.start):
        return ""
    return _REASONS.get(constant_place(unit.declarations, use), "")
