"""Where the patterns of a finding match in code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.told_values import is_only_ranked, is_only_told, statement_start
from hipport.source.source_file import Unit
from hipport.source.text.include_directives import include_guard
from hipport.source.text.quick_search import matches, symbol_span
from hipport.source.text.said_in_comments import said_in


def pattern_matches(unit: Unit, rule: FindingRule) -> Iterator[Span]:
    """What the patterns name `symbol`, or match as a whole; all of one pattern, then the next."""
    code = unit.code
    if rule.commented:
        text = said_in(code.code, code, code.comments, rule.commented)
        for pattern in rule.patterns if text else ():
            yield from map(symbol_span, matches(pattern, text))
        return
    for pattern in filter(code.may_match, rule.patterns):
        for match in code.finditer(pattern):
            yield symbol_span(match)


def is_shown(unit: Unit, rule: FindingRule, offset: int) -> bool:
    """Whether the statement around an offset only shows people what is in it."""
    if not rule.showing:
        return False
    return re.compile(rule.showing).match(unit.code.code, statement_at(unit, offset)) is not None


def is_told(unit: Unit, rule: FindingRule, span: Span) -> bool:
    """Whether what is asked for at a place is only told to people, only caps a number, or ranks."""
    if not rule.telling:
        return False
    text = unit.code.code
    return is_only_told(text, span, rule.telling, rule.capping) or is_only_ranked(text, span)


def is_conditional(unit: Unit, offset: int) -> bool:
    """Whether an offset is in a branch of a conditional, the file's include guard aside."""
    return bool(set(unit.code.branch_at(offset)).difference(include_guard(unit.code)))


def statement_at(unit: Unit, offset: int) -> int:
    """Where the statement around an offset begins."""
    return statement_start(unit.code.code, offset)
