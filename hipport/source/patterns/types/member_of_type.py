"""Members of CUDA structures, whatever the variable is called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.compared_values import compared
from hipport.source.flow.device_code import counts
from hipport.source.names.aliased_types import aliases_of
from hipport.source.names.declared_types import is_object_of, is_only_behind
from hipport.source.names.given_values import values_given
from hipport.source.names.variables import variable
from hipport.source.patterns.pattern_matches import is_shown, pattern_matches, statement_at
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip_back, word_before
from hipport.source.text.source_text import Code

_LOOK_BACK = 100


class Keys(RuleKeys, frozen=True):
    types: Regex
    functions: Regex
    """What returns such a structure, or a pointer to one."""
    members: Regex
    """What is reported, from its `.` or `->` on."""
    recording: Regex
    """The beginning of a statement that only copies members to those of the same name elsewhere."""
    handled: Regex = Regex("")
    """A statement, from its beginning, that takes another value where this one is 0."""
    copied: Regex = Regex("")
    """The same, where it counts only as a whole value that is given to something."""
    given: Regex = Regex("")
    """What is before such a value, up to it."""
    parted: Regex = Regex("")
    """Where the name of what is asked ends: the lines below that ask the same are decided with
    the first of them."""
    is_followed: bool = False
    """Whether what is read counts, too, where it is compared with a number under another name."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such use, once per line, beside what the rule has by name and by pattern."""
    keys = rule.read(Keys)
    found = [*pattern_matches(unit, rule), *(use.span for use in unit.of(rule.names))]
    for place, end in _members(unit.code, keys):
        name = unit.code.slice(place)
        is_object = is_object_of(unit.declarations, keys.types, keys.functions, name)
        if is_object and not _is_of_other_type(unit, keys, name, place.start):
            found.append(Span(place.start, end))
    recorded = re.compile(keys.recording)
    handled = re.compile(keys.handled or "(?!)")
    found = [
        each
        for each in found
        if not is_shown(unit, rule, each.start)
        and not handled.match(unit.code.code, statement_at(unit, each.start))
    ]
    if all(recorded.match(unit.code.code, statement_at(unit, each.start)) for each in found):
        return  # The file makes a record of the device, and decides nothing.
    if keys.is_followed:
        found.extend(compared(unit.code.code, sorted(found)))
    lines: dict[int, str] = {}
    for span in sorted(found):
        line = unit.code.position(span.start).line
        if line in lines or not counts(unit, rule, span.start):
            continue
        symbol = unit.code.slice(span)
        of = re.split(keys.parted, symbol)[0] if keys.parted else ""
        lines[line] = of
        if not of or lines.get(line - 1) != of:
            unit.report(rule.id, span, symbol)


def _is_of_other_type(unit: Unit, keys: Keys, name: str, at: int) -> bool:
    """Whether the declaration in scope gives a variable another type, by whatever name."""
    if is_only_behind(unit.code, keys.types, name):
        return False
    text = unit.code.code
    is_member = text.endswith((".", "->"), 0, skip_back(text, at))
    found = None if is_member else variable(unit.declarations, name, at)
    if found is None or re.search(rf"\b(?:auto|{keys.types})\b", found.type):
        return False
    called = re.compile(rf"\b(?:{keys.functions})\s*\(")
    if any(called.search(text, *each) for each in values_given(unit.declarations, name)):
        return False
    aliases = aliases_of(unit.code, rf"(?:\w+::)*(?:{keys.types})")
    return aliases.isdisjoint(re.findall(r"\w+", found.type))


def _members(code: Code, keys: Keys) -> Iterator[tuple[Span, int]]:
    """The variables whose members are asked for, and where each member ends."""
    text = code.code
    for match in code.finditer(keys.members):
        if place := _variable(text, match.start()):
            yield place, match.end()
    for match in code.finditer(keys.copied) if keys.copied else ():
        place = _variable(text, match.start())
        before = text[max(0, place.start - _LOOK_BACK) : place.start] if place else ""
        if place and re.search(rf"(?:{keys.given})\Z", before):
            yield place, match.end()


def _variable(text: str, end: int) -> Span | None:
    """The name before a member, behind at most one index, or a call without arguments."""
    if text.endswith("()", 0, end):
        end -= 2
    elif text.endswith("]", 0, end):
        end = max(text.rfind(each, 0, end - 1) for each in "[]")
    word = word_before(text, end)
    is_name = text[word.start : word.start + 1].isidentifier()
    return word if is_name and word.end == end else None
