"""A library of NVIDIA's: its headers where they are included, else its first name in the file."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit

_HEADER = re.compile(r'[ \t]*[<"]([^>"\n]+)[>"]')


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each include of the library, or the first of its names; not the library itself."""
    if "itself" in rule.data and re.search(rule.data["itself"], unit.path):
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
        for match in re.finditer(pattern, unit.code.code):
            api = unit.rules.api(match[0]) if rule.data.get("has_counterparts") else None
            if api and not (api.hip or api.roc):
                continue  # a finding of its own says so
            if counts(unit, rule, match.start()):
                unit.report(rule.id, Span(*match.span()), match[0])
                return
