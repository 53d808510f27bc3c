"""A library of NVIDIA's: its headers where they are included, else its first name in the file."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import is_member, occurrences, skip_back
from hipport.source.text.quick_search import matches, search_of

_HEADER = re.compile(r'[ \t]*[<"]([^>"\n]+)[>"]')


class Keys(RuleKeys, frozen=True):
    itself: Regex = Regex("")
    has_counterparts: bool = False
    shape: Regex = Regex("")
    """What every name of the library looks like; none of them has a counterpart."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each include of the library, or the first of its names that the tree lacks itself."""
    keys = rule.read(Keys)
    if keys.itself and re.search(keys.itself, unit.path):
        return
    reported = {each.start for each in unit.findings if each.code == rule.id}
    for directive in unit.code.directives:
        match = _HEADER.match(unit.code.text, directive.body.start)
        if match is None or directive.keyword not in ("include", "import"):
            continue
        is_its = any(re.fullmatch(header, match[1]) for header in rule.headers)
        if is_its and not _is_of_tree(unit, match.start(1), match[1]):
            span = Span(match.start(1) - 1, match.end())
            place = unit.code.position(span.start)
            if not reported and counts(unit, rule, span.start):
                unit.report(rule.id, span, match[1])
            reported.add(place)
    if reported:
        return
    if keys.shape and (first := _first_name(unit, rule, keys.shape)):
        unit.report(rule.id, first, unit.code.slice(first))
        return
    for pattern in rule.patterns:
        for match in matches(pattern, unit.code.code, re.NOFLAG):
            api = unit.rules.api(match[0]) if keys.has_counterparts else None
            if api and not (api.hip or api.roc):
                continue  # another finding says so
            if unit.declarations.scope(Span(*match.span())):
                continue
            if counts(unit, rule, match.start()):
                unit.report(rule.id, Span(*match.span()), match[0])
                return


def _is_of_tree(unit: Unit, start: int, header: str) -> bool:
    """Whether an include in quotes names a file of the tree."""
    return unit.code.text[start - 1] == '"' and unit.is_beside(header)


def _first_name(unit: Unit, rule: FindingRule, shape: str) -> Span | None:
    """The first use in code of a name of the shape that the file does not declare itself."""
    search = search_of(shape, re.ASCII)
    beginnings, text = search.beginnings or ("",), unit.code.code
    uses = [
        [Span(at, at + len(name)) for at in occurrences(text, name)]
        for name in unit.code.words
        if name.startswith(beginnings) and search.expression.fullmatch(name)
    ]
    counted = [
        span
        for spans in uses
        if not any(unit.declarations.scope(span) for span in spans)
        for span in spans
        if counts(unit, rule, span.start) and not is_member(text, skip_back(text, span.start))
    ]
    return min(counted, default=None)
