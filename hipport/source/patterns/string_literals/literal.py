"""The contents of string literals: options, file names and kernels as text."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.cuda_conditions import branches_left_out
from hipport.source.flow.device_code import counts
from hipport.source.patterns.pattern_matches import is_shown
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import symbol_span
from hipport.source.text.required_texts import RequiredPlaces, may_match
from hipport.source.text.source_text import Code

_LONGEST_SYMBOL = 60


class Keys(RuleKeys, frozen=True):
    literals: Regex
    shortest: str
    needs: Regex = Regex("")
    settled: Regex = Regex("")
    """What a literal has that was written for AMD's GPUs: none of its own is reported."""
    settled_in_hip: Regex = Regex("")
    """The same for literals of files that are HIP's, or that only such files include."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first match of the rule's `literals` in each literal, where HIP compiles it."""
    keys = rule.read(Keys)
    if not all(map(unit.code.may_match, (keys.literals, keys.needs))):
        return
    if not may_match(keys.literals, _contents(unit.code)):
        return
    places = RequiredPlaces(keys.literals, unit.code.text, unit.code.may_have)
    likely = [
        each
        for each in unit.code.literals
        if each.end - each.start >= len(keys.shortest) + 2 and places.may_match(*each)
    ]
    if not likely or (keys.needs and not unit.code.matches(keys.needs)):
        return
    is_hip = unit.warps.is_hip or unit.warps.is_in_hip
    settled = [each for each in (keys.settled, keys.settled_in_hip if is_hip else "") if each]
    shape = re.compile(keys.literals, re.MULTILINE)
    for literal in likely:
        match = _first_compiled(unit, shape, literal)
        if match is None or not counts(unit, rule, literal.start):
            continue
        if is_shown(unit, rule, literal.start):
            continue
        if any(re.search(each, unit.code.text[slice(*literal)]) for each in settled):
            continue
        directive = unit.code.directive_at(literal.start)
        if directive is not None and directive.keyword != "define":
            continue
        span = symbol_span(match)
        symbol = " ".join(unit.code.slice(span).split())
        unit.report(rule.id, span, symbol[:_LONGEST_SYMBOL])
        if rule.once_per_file:
            return


def _first_compiled(unit: Unit, shape: re.Pattern[str], literal: Span) -> re.Match[str] | None:
    """The first match that is in no branch which HIP leaves out, else the first one.

    What such a branch of a kernel's text has is decided where its condition is.
    """
    text = unit.code.text
    first = shape.search(text, *literal)
    if first is None or not re.search(r"#[ \t]*(?:el)?if", text[literal.start : first.start()]):
        return first
    start = text.find("\n", *literal)  # Behind the quotes: the text of a raw string has lines.
    if not literal.start <= start <= first.start():
        return first
    code = Code(text[start : literal.end].encode("latin-1"))
    left_out = branches_left_out(code, unit.rules)
    if not left_out:
        return first
    for match in shape.finditer(text, *literal):
        at = symbol_span(match).start - start
        if left_out.isdisjoint(code.branch_at(at)):
            return match
    return first


@lru_cache(maxsize=1)
def _contents(code: Code) -> str:
    """All literals of a text: a look at them takes less time than one at the text."""
    return "\n".join(code.text[start:end] for start, end in code.literals)
