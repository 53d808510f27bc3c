"""Functions that differ in types of parameters alone, of which HIP has one for both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import msgspec

from hipport.lazy_regex import regex
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
# A constructor has a list of members before it.
_BODY = regex(r"\s*+(?:(?:const|noexcept|override|final)\b\s*+)*+(?:->[^;{}()]*+)?[{:](?!:)")


class Keys(RuleKeys, frozen=True):
    same: tuple[tuple[str, ...], ...]
    """Types of which HIP has one; `void*` where it is that."""


class FixKeys(RuleKeys, frozen=True):
    macro: str


class _Overload(msgspec.Struct, frozen=True):
    """A definition: its name, its parameters of the types, and the bracket behind it."""

    name: Span
    types: tuple[str, ...]
    parameters: tuple[str, ...]
    closed: int
    shape: tuple[str, ...]
    """The types of all its parameters, without those."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each definition that repeats one before it once the types are mapped."""
    for first, second in _repeated(unit, rule):
        pairs = zip(first.types, second.types, strict=True)
        type_ = next(one for one, other in pairs if one != other)
        unit.report(rule.id, second.name, unit.code.slice(second.name), {"type": type_})


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
    for group in rule.read(Keys).same:
        overloads = _overloads(unit, group)
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
                if first.types == second.types or are_alternatives(*branches):
                    continue
                if counts(unit, rule, second.name.start):
                    yield first, second


def _overloads(unit: Unit, group: tuple[str, ...]) -> list[_Overload]:
    """The definitions with a parameter of the types, where there may be two of one name."""
    text, types = unit.code.code, frozenset(group)
    names = [each for each in group if each in unit.code.words]
    pointers = [each for each in group if each.endswith("*")]
    # A file that has one of the types alone repeats nothing.
    if not names or len(names) + len(pointers) < 2:
        return []
    opened = {text.rfind("(", 0, at) for name in names for at in occurrences(text, name)}
    called = {unit.code.slice(word_before(text, at)) for at in opened if at >= 0}
    for pointer in pointers:
        word = pointer.rstrip("*")
        for at in occurrences(text, word):
            if text.startswith("*", skip(text, at + len(word))):
                bracket = text.rfind("(", 0, at)
                if unit.code.slice(word_before(text, bracket)) in called:
                    opened.add(bracket)
    found = [_overload(text, types, each) for each in sorted(opened)]
    return [each for each in found if each]


def _branch(unit: Unit, overload: _Overload) -> Branch:
    return unit.code.branch_at(overload.name.start)


def _overload(text: str, types: frozenset[str], opened: int) -> _Overload | None:
    """The function with parameters of the types that is defined around an opening bracket."""
    closed = closing_bracket(text, opened) if opened >= 0 else None
    name = word_before(text, opened)
    if closed is None or not _BODY.match(text, closed + 1) or name.start == name.end:
        return None  # A declaration, or a lambda.
    inside = text[opened + 1 : closed]
    given = parameters(inside)
    found = [each for each in given if each.type in types]
    if not found:
        return None
    kinds = tuple(each.type for each in found)
    names = tuple(inside[slice(*each.name)] for each in found)
    shape = tuple("" if each.type in types else each.type for each in given)
    return _Overload(name, kinds, names, closed, shape)


def _converted(unit: Unit, overload: _Overload) -> str:
    """The definition as it will be, without blanks, and whatever its parameter is called."""
    whole = definition(unit, overload.name, overload.closed)
    if whole is None:
        return ""
    start, body = whole
    text = converted(unit, Span(body.start, body.end + 1))
    for place, name in enumerate(filter(None, overload.parameters)):
        text = re.sub(rf"\b{name}\b", f"#{place}", text)
    return "".join((converted(unit, Span(start, overload.name.start)) + text).split())
