"""Messages of MPI whose buffer is in device memory."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.buffer_calls import arguments_of, messages
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit

_ADDRESS = regex(r"\s*(?:\([^()]*\)\s*|\w+_cast\s*<[^<>;]*>\s*\(\s*)?&\s*(?P<name>[\w.>-]+)")


class Keys(RuleKeys, frozen=True):
    device_names: Regex
    """Names that people give to pointers to device memory."""
    on_host: Regex
    """What shows that a variable, whatever its name, is in host memory."""
    casts: Regex
    """What makes a pointer of an iterator or a pointer of a library's, in device memory."""
    prefix: str
    in_place: str
    messages: Mapping[str, int]
    """Function without the prefix -> which argument is a buffer."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each message of what the file allocates on the device, or names for it."""
    keys, text = rule.read(Keys), unit.code.code
    calls = list(messages(text, keys.prefix, keys.in_place, keys.messages))
    if not calls:
        return
    allocated = _allocated(unit, rule)
    named = re.compile(keys.device_names)
    on_host = {name for each in re.finditer(keys.on_host, text) for name in each.groups()}
    cast = re.compile(keys.casts)
    for call, buffer in calls:
        last = re.split(r"\.|->", buffer)[-1]
        if made := cast.search(text, *call):
            buffer = last = unit.code.slice(Span(*made.span("of")))
        is_named = named.fullmatch(last) is not None and last not in on_host
        is_there = bool(made) or buffer in allocated or is_named
        if is_there and counts(unit, rule, call.start):
            span = Span(call.start, text.index("(", call.start))
            unit.report(rule.id, span, unit.code.slice(span).strip(), {"buffer": buffer})


def _allocated(unit: Unit, rule: FindingRule) -> set[str]:
    """The variables that get memory from the rule's functions."""
    text = unit.code.code
    firsts = (arguments_of(text, use.span.end)[:1] for use in unit.of(rule.names))
    found = (_ADDRESS.match(text, *each) for first in firsts for each in first)
    return {match["name"] for match in found if match}
