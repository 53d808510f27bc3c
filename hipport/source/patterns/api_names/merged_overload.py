"""Functions that differ in one parameter's type alone, of which HIP has one for both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import msgspec

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_functions import functions_named
from hipport.source.names.variables import parameters
from hipport.source.patterns.guarding import converted, definition, guard
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip, word_before
from hipport.source.text.directives import Branch, are_alternatives

_FINDING = "HP-TYPE-014"


class Keys(RuleKeys, frozen=True):
    pointer: str = ""
    """What the types become, where CUDA's code may have an overload for that as well."""


class FixKeys(RuleKeys, frozen=True):
    macro: str


class _Overload(msgspec.Struct, frozen=True):
    """A definition: its name, its parameter, and the bracket behind it."""

    name: Span
    type: str
    parameter: str
    closed: int
    shape: tuple[str, ...]
    """The types of its parameters, without that one."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each definition that repeats one before it once the types are mapped."""
    for first, second in _repeated(unit, rule):
        unit.report(rule.id, second.name, unit.code.slice(second.name), {"type": first.type})


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Compile the second only for CUDA: for certain where both come to the same text."""
    macro = rule.read(FixKeys).macro
    for first, second in _repeated(unit, unit.rules.findings[_FINDING]):
        whole = definition(unit, second.name, second.closed)
        # Where the first may be left out, the second is the only one.
        if whole and set(_branch(unit, first)) <= set(_branch(unit, second)):
            is_same = _converted(unit, first) == _converted(unit, second)
            edit = "merged-overload" if is_same else "merged-overload-that-differs"
            guard(unit, edit, macro, Span(whole[0], whole[1].end + 1), [second.name])


def _repeated(unit: Unit, rule: FindingRule) -> Iterator[tuple[_Overload, _Overload]]:
    """The first definition of a name in its scope, and one for another of the types."""
    text, pointer = unit.code.code, rule.read(Keys).pointer
    # A file that has one of the types alone repeats nothing.
    if len(rule.names & unit.code.words) + bool(pointer) < 2:
        return
    types = rule.names | ({pointer} if pointer else set())
    places = [at for name in rule.names for at in occurrences(text, name)]
    if pointer:
        word = pointer.rstrip("*")
        ends = ((at, skip(text, at + len(word))) for at in occurrences(text, word))
        places += [at for at, end in ends if text.startswith("*", end)]
    found = [_overload(text, types, text.rfind("(", 0, at)) for at in sorted(places)]
    overloads = [each for each in found if each]
    functions = (
        functions_named(unit.declarations, name)
        for name in {unit.code.slice(each.name) for each in overloads}
    )
    scopes = {each.name: each.path for each in chain.from_iterable(functions)}
    seen: dict[tuple[str, ...], _Overload] = {}
    for second in overloads:
        if second.name in scopes:
            whole = (*scopes[second.name], unit.code.slice(second.name), *second.shape)
            first = seen.setdefault(whole, second)
            branches = (_branch(unit, first), _branch(unit, second))
            if first.type == second.type or are_alternatives(*branches):
                continue
            if counts(unit, rule, second.name.start):
                yield first, second


def _branch(unit: Unit, overload: _Overload) -> Branch:
    return unit.code.branch_at(overload.name.start)


def _overload(text: str, types: frozenset[str], opened: int) -> _Overload | None:
    """The function with one parameter of the types that is defined around an opening bracket."""
    closed = closing_bracket(text, opened) if opened >= 0 else None
    body = skip(text, closed + 1) if closed else 0
    name = word_before(text, opened)
    if closed is None or not text.startswith("{", body) or name.start == name.end:
        return None  # A declaration, or a lambda.
    given = parameters(text[opened + 1 : closed])
    found = [each for each in given if each.type in types]
    if len(found) != 1:
        return None
    parameter = text[opened + 1 : closed][slice(*found[0].name)]
    shape = tuple("" if each.type in types else each.type for each in given)
    return _Overload(name, found[0].type, parameter, closed, shape)


def _converted(unit: Unit, overload: _Overload) -> str:
    """The definition as it will be, without blanks, and whatever its parameter is called."""
    whole = definition(unit, overload.name, overload.closed)
    if whole is None:
        return ""
    start, body = whole
    text = converted(unit, Span(body.start, body.end + 1))
    if overload.parameter:
        text = re.sub(rf"\b{overload.parameter}\b", "#", text)
    return "".join((converted(unit, Span(start, overload.name.start)) + text).split())
