"""warpSize where the language wants a constant: HIP's is a value known at run time."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    contexts: dict[str, tuple[str, str]]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use in an array bound, a template argument, a constant or an #if."""
    text = unit.code.code
    for use in unit.of(rule.names):
        start = max(text.rfind(mark, 0, use.span.start) for mark in ";{}") + 1
        end = min((at for mark in ";{" if (at := text.find(mark, use.span.end)) >= 0), default=-1)
        if use.qualifier or not counts(unit, rule, use.span.start):
            continue
        directive = unit.code.directive_at(use.span.start)
        if directive is not None:
            is_tested = re.search(
                r"\bdefined\s*\(?\s*\Z", text[directive.body.start : use.span.start]
            )
            reason = "an #if" if directive.keyword in ("if", "elif") and not is_tested else ""
        else:
            reason = _reason(rule, text[start : use.span.start], text[use.span.end : end])
        if reason:
            unit.report(rule.id, use.span, use.name, {"reason": reason})


def _reason(rule: FindingRule, before: str, after: str) -> str:
    keys = rule.read(Keys)
    for reason, (head, tail) in keys.contexts.items():
        if re.search(head, before) and re.match(tail, after):
            return str(reason)
    return ""
