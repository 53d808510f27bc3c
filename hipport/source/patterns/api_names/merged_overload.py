"""Functions that differ in their only parameter's type, of which HIP has one for both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.variables import parameters
from hipport.source.patterns.guarding import converted, definition, guard
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip, word_before

_FINDING = "HP-TYPE-014"


class FixKeys(RuleKeys, frozen=True):
    macro: str


class _Overload(NamedTuple):
    """A definition: its name, its parameter, and the opening bracket of its body."""

    name: Span
    type: str
    parameter: str
    opened: int


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each definition that repeats one before it once the types are mapped."""
    for first, second in _repeated(unit, rule):
        unit.report(rule.id, second.name, unit.code.slice(second.name), {"type": first.type})


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Compile the second only for CUDA: for certain where both come to the same text."""
    macro = rule.read(FixKeys).macro
    for first, second in _repeated(unit, unit.rules.findings[_FINDING]):
        parameters = unit.code.code.rfind(")", second.name.end, second.opened)
        whole = definition(unit, second.name, parameters)
        if whole:
            is_same = _converted(unit, first) == _converted(unit, second)
            edit = "merged-overload" if is_same else "merged-overload-that-differs"
            guard(unit, edit, macro, Span(whole[0], whole[1].end + 1), [second.name])


def _repeated(unit: Unit, rule: FindingRule) -> Iterator[tuple[_Overload, _Overload]]:
    """The first definition of a name, and one for another of the types."""
    # A file that has one of the types alone repeats nothing.
    if len(rule.names & unit.code.words) < 2:
        return
    text = unit.code.code
    seen: dict[str, _Overload] = {}
    for at in sorted(at for name in rule.names for at in occurrences(text, name)):
        found = _overload(text, rule.names, text.rfind("(", 0, at))
        if found is None:
            continue
        first = seen.setdefault(unit.code.slice(found.name), found)
        if first.type != found.type and counts(unit, rule, found.name.start):
            yield first, found


def _overload(text: str, types: frozenset[str], opened: int) -> _Overload | None:
    """The function of one parameter of the types that is defined around an opening bracket."""
    closed = closing_bracket(text, opened) if opened >= 0 else None
    body = skip(text, closed + 1) if closed else 0
    name = word_before(text, opened)
    if closed is None or not text.startswith("{", body) or name.start == name.end:
        return None  # A declaration, or a lambda.
    given = parameters(text[opened + 1 : closed])
    if len(given) != 1 or given[0].type not in types:
        return None
    return _Overload(name, given[0].type, text[opened + 1 : closed][slice(*given[0].name)], body)


def _converted(unit: Unit, overload: _Overload) -> str:
    """The body as it will be, without blanks, and whatever its parameter is called."""
    closed = closing_bracket(unit.code.code, overload.opened) or overload.opened
    span = Span(overload.opened, closed + 1)
    text = converted(unit, span)
    if overload.parameter:
        text = re.sub(rf"\b{overload.parameter}\b", "#", text)
    return "".join(text.split())
