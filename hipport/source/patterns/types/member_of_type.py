"""Members of CUDA structures, whatever the variable is called."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.compared_values import compared
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import is_object_of
from hipport.source.patterns.pattern_matches import is_shown, pattern_matches, statement_at
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches


class Keys(RuleKeys, frozen=True):
    types: Regex
    functions: Regex
    """What returns such a structure, or a pointer to one."""
    members: Regex
    """What is reported: `symbol`, with the variable as `object`."""
    recording: Regex
    """The beginning of a statement that only copies members to those of the same name elsewhere."""
    is_followed: bool = False
    """Whether what is read counts, too, where it is compared with a number under another name."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such use, once per line, beside what the rule has by name and by pattern."""
    keys = rule.read(Keys)
    found = [*pattern_matches(unit, rule), *(use.span for use in unit.of(rule.names))]
    for match in matches(keys.members, unit.code.code):
        if is_object_of(unit.declarations, keys.types, keys.functions, match["object"]):
            found.append(Span(*match.span("symbol")))
    recorded = re.compile(keys.recording)
    found = [each for each in found if not is_shown(unit, rule, each.start)]
    if all(recorded.match(unit.code.code, statement_at(unit, each.start)) for each in found):
        return  # The file makes a record of the device, and decides nothing.
    if keys.is_followed:
        found.extend(compared(unit.code.code, sorted(found)))
    lines: set[int] = set()
    for span in sorted(found):
        line = unit.code.position(span.start).line
        if line not in lines and counts(unit, rule, span.start):
            lines.add(line)
            unit.report(rule.id, span, unit.code.slice(span))
