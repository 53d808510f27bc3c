"""Integers stored as CUdeviceptr, an integer in CUDA whose HIP counterpart is `void *`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import certain_variables, is_always, variables_of
from hipport.source.names.variables import variables_declared_by
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.quick_search import matches

_VALUE = regex(r"\s*([^;,{}?=]{1,200}?)\s*[;,]")
_INTEGER = regex(r"(?:0[xX][0-9a-fA-F']+|\d[\d']*)[uUlLzZ]*\Z")
_ZERO = regex(r"[\s()]*0(?:[xX]?0+)?[uUlLzZ]*[\s()]*\Z")
_MAY_HAVE_VALUE = regex(r"[^;{}()]{1,200}?[{(]")
_REACH = 80
_STATIC_CAST = "static_cast"
_ONE = regex(r"\w+")
_FINDING = "HP-TYPE-011"
_TOKEN = regex(r"[A-Za-z_]\w*|\d[\w'.]*|\S")


class Keys(RuleKeys, frozen=True):
    integers: Regex
    """The types of integers."""


class FixKeys(RuleKeys, frozen=True):
    opening: str
    cast: str
    """What takes the place of `static_cast`, of what is put before its operand."""
    inside: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each variable of the type that is set to what is certainly an integer, but not 0."""
    every = (_stored_integers, _made_of_integers, _converted_integers)
    for whole, value in (each for find_in in every for each in find_in(unit, rule)):
        symbol = " ".join(unit.code.code[whole.start : whole.end].split())
        unit.report(rule.id, whole, symbol, {"value": unit.code.code[value.start : value.end]})


def _stored_integers(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, Span]]:
    """Each such assignment, and the value in it."""
    text = unit.code.code
    names = variables_of(unit.declarations, (use.span for use in unit.of(rule.names)))
    names = certain_variables(unit.declarations, rule.names, names)
    types = "|".join(sorted(rule.names))
    cast = rf"\(\s*(?:{types})\s*\*\s*\)|reinterpret_cast\s*<\s*(?:{types})\s*\*\s*>"
    places = [rf"\*\s*\(?\s*(?:{cast})[^=;{{}}]{{1,200}}?"]
    if names:
        places.append(rf"(?<![\w.>])(?:{'|'.join(names)})")
    integer = rule.read(Keys).integers
    for match in matches(rf"(?:{'|'.join(places)})\s*=(?!=)", text):
        value = _VALUE.match(text, match.end())
        before = text[max(0, match.start() - _REACH) : match.start()]
        is_pointer = match[0][0] == "*" and re.search(rf"(?:{types})\s*\Z", before)
        if value is None or is_pointer or not _is_integer(unit, integer, value[1]):
            continue
        if unit.code.directive_at(match.start()) is None and counts(unit, rule, match.start()):
            yield Span(match.start(), value.end(1)), Span(*value.span(1))


def _made_of_integers(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, Span]]:
    """Each variable that is declared with an integer in brackets, `copy{id}` or `copy(id)`."""
    text, integer = unit.code.code, rule.read(Keys).integers
    for use in unit.of(rule.names):
        if not _MAY_HAVE_VALUE.match(text, use.span.end) or unit.code.directive_at(use.span.start):
            continue
        for found in variables_declared_by(unit.declarations, use.span):
            if found.type != use.name or not found.value or text[found.value.start] not in "{(":
                continue
            value = Span(found.value.start + 1, found.value.end - 1)
            inside = text[value.start : value.end]
            is_one = inside.strip() and "," not in inside
            if not is_one or not _is_integer(unit, integer, inside):
                continue
            if counts(unit, rule, found.name.start):
                yield Span(found.name.start, found.value.end), value


def _converted_integers(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, Span]]:
    """Each `static_cast` of an integer to the type, which makes no pointer, and its operand."""
    text, integer = unit.code.code, rule.read(Keys).integers
    types = "|".join(sorted(rule.names))
    for match in matches(rf"\b(?P<cast>static_cast)\s*<\s*(?:{types})\s*>\s*\(", text):
        end = closing_bracket(text, match.end() - 1)
        value = text[match.end() : end] if end else ""
        is_integer = bool(value) and not _ZERO.match(value) and _is_integer(unit, integer, value)
        if not end or not is_integer or unit.code.directive_at(match.start()):
            continue
        if counts(unit, rule, match.start()):
            yield Span(match.start(), end + 1), Span(match.end(), end)


def _is_integer(unit: Unit, integer: str, value: str) -> bool:
    """Whether an expression has integers alone, by their declarations; a plain 0 is a pointer."""
    if _ZERO.match(value):
        return False
    cast = rf"\(\s*{integer}\s*\)|\b(?:static|reinterpret)_cast\s*<\s*{integer}\s*>"
    tokens = _TOKEN.findall(re.sub(rf"(?:{cast})\s*(?:\w+|\([^()]*\))", "1", value))
    return bool(tokens) and all(
        token in "+-*/%&|^~()"
        or _INTEGER.match(token)
        or is_always(unit.declarations, token, integer)
        for token in tokens
    )


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Cast integers that are stored as addresses."""
    keys, finding = rule.read(FixKeys), unit.rules.findings[_FINDING]
    for whole, value in list(_converted_integers(unit, finding)):
        cast = Span(whole.start, whole.start + len(_STATIC_CAST))
        edits = [
            (cast, keys.cast),
            (Span(value.start, value.start), f"{keys.inside}("),
            (Span(value.end, value.end), ")"),
        ]
        rewrite(unit, "device-integer", edits, [whole])
    opening = keys.opening
    for whole, value in [*_stored_integers(unit, finding), *_made_of_integers(unit, finding)]:
        brackets = ("", "") if _ONE.fullmatch(unit.code.slice(value)) else "()"
        edits = [
            (Span(value.start, value.start), opening + brackets[0]),
            (Span(value.end, value.end), brackets[1]),
        ]
        rewrite(unit, "device-integer", edits, [whole])
