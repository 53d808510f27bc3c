"""A library of NVIDIA's: its headers where they are included, else its first name in the file."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches

_HEADER = re.compile(r'[ \t]*[<"]([^>"\n]+)[>"]')


class Keys(RuleKeys, frozen=True):
    itself: Regex = Regex("")
    has_counterparts: bool = False


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each include of the library, or the first of its names; not the library itself."""
    keys = rule.read(Keys)
    if keys.itself and re.search(keys.itself, unit.path):
        return
    reported = {each.start for each in unit.findings if each.code == rule.id}
    for directive in unit.code.directives:
        match = _HEADER.match(unit.code.text, directive.body.start)
        if match is None or directive.keyword not in ("include", "import"):
            continue
        if any(re.fullmatch(header, match[1]) for header in rule.headers):
            span = Span(match.start(1) - 1, match.end())
            place = unit.code.position(span.start)
            if not reported and counts(unit, rule, span.start):
                unit.report(rule.id, span, match[1])
            reported.add(place)
    if reported:
        return
    for pattern in rule.patterns:
        for match in matches(pattern, unit.code.code, re.NOFLAG):
            api = unit.rules.api(match[0]) if keys.has_counterparts else None
            if api and not (api.hip or api.roc):
                continue  # a finding of its own says so
            if counts(unit, rule, match.start()):
                unit.report(rule.id, Span(*match.span()), match[0])
                return
