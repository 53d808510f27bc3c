"""Integers stored as CUdeviceptr, an integer in CUDA whose HIP counterpart is `void *`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.patterns.types.device_address import certain_names
from hipport.source.source_file import Unit

_VALUE = re.compile(r"\s*([^;,{}?=]{1,200}?)\s*[;,]")
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F']+|\d[\d']*)[uUlLzZ]*\Z")
_ZERO = re.compile(r"[\s()]*0(?:[xX]?0+)?[uUlLzZ]*[\s()]*\Z")
_DECLARED = re.compile(r"\b([A-Za-z_]\w*)(\s[\s*&]*|[*&]\s*)([A-Za-z_]\w*)\s*(?=([=;,)\[({]))")
_NO_TYPES = frozenset(("return", "else", "case"))
_REACH = 80
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w'.]*|\S")


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each variable of the type that is set to what is certainly an integer, but not 0."""
    for whole, value in stored_integers(unit, rule):
        symbol = " ".join(unit.code.code[whole.start : whole.end].split())
        unit.report(rule.id, whole, symbol, {"value": unit.code.code[value.start : value.end]})


def stored_integers(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, Span]]:
    """Each such assignment, and the value in it."""
    text = unit.code.code
    names = certain_names(unit, rule)
    types = "|".join(sorted(rule.names))
    cast = rf"\(\s*(?:{types})\s*\*\s*\)|reinterpret_cast\s*<\s*(?:{types})\s*\*\s*>"
    places = [rf"\*\s*\(?\s*(?:{cast})[^=;{{}}]{{1,200}}?"]
    if names:
        places.append(rf"(?<![\w.>])(?:{'|'.join(names)})")
    integers = _integers(text, rule.data["integers"])
    for match in re.finditer(rf"(?:{'|'.join(places)})\s*=(?!=)", text):
        value = _VALUE.match(text, match.end())
        before = text[max(0, match.start() - _REACH) : match.start()]
        is_pointer = match[0][0] == "*" and re.search(rf"(?:{types})\s*\Z", before)
        if value is None or is_pointer or not _is_integer(rule, value[1], integers):
            continue
        if unit.code.directive_at(match.start()) is None and counts(unit, rule, match.start()):
            yield Span(match.start(), value.end(1)), Span(*value.span(1))


def _is_integer(rule: FindingRule, value: str, integers: set[str]) -> bool:
    """Whether an expression has integers alone, by their declarations; a plain 0 is a pointer."""
    integer = rule.data["integers"]
    if _ZERO.match(value):
        return False
    cast = rf"\(\s*{integer}\s*\)|\b(?:static|reinterpret)_cast\s*<\s*{integer}\s*>"
    tokens = _TOKEN.findall(re.sub(rf"(?:{cast})\s*(?:\w+|\([^()]*\))", "1", value))
    return bool(tokens) and all(
        token in "+-*/%&|^~()" or _INTEGER.match(token) or token in integers for token in tokens
    )


def _integers(text: str, integer: str) -> set[str]:
    """The names of which all that the file declares are integers."""
    found: dict[str, bool] = {}
    for kind, mark, name, end in _DECLARED.findall(text):
        if kind not in _NO_TYPES:
            is_one = bool(re.fullmatch(integer, kind)) and "*" not in mark and end not in "[("
            found[name] = found.get(name, True) and is_one
    return {name for name, is_one in found.items() if is_one}
