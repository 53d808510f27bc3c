"""Arithmetic by functions that keep nvcc from fusing a product and a sum, which clang fuses."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, device_body_at
from hipport.source.flow.device_functions import functions
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.variables import variable
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip

_NEAR = 300
_GIVEN = regex(r"\b([A-Za-z_]\w*)\s*(\*?)=(?!=)(?=([^;{}]{0,400}))")
_SUBSCRIPT = regex(r"\[[^\[\]]*\]")
_ARGUMENT = r"\b(?:%s)\s*\((?:(?:[^();]|\([^();]*\))*,)?\s*\Z"
_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*[\[(.])")


class Keys(RuleKeys, frozen=True):
    product: Regex
    """A product that may be rounded, in a text."""
    exact: Regex
    """A call for a product that is never rounded: by a power of two."""
    added: Regex
    """What is before a product that a call adds to another one: nothing fuses it again."""
    apart: Regex
    """Functions whose results are no products, whatever they are given."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each product, and each sum that a product may reach, once per line."""
    keys = rule.read(Keys)
    given: dict[Span, dict[str, bool]] = {}
    lines: set[int] = set()
    loaded = _loaded(unit)
    for use in unit.of(rule.names):
        line = unit.code.position(use.span.start).line
        call = parse_call(unit.code, use.span)
        if line in lines or not counts(unit, rule, use.span.start):
            continue
        whole = Span(use.span.start, call.closed + 1 if call else use.span.end)
        text = unit.code.code[slice(*whole)]
        if call and _is_argument(unit.code.code, whole, keys.added):
            continue
        if re.match(keys.product, text) and _is_argument(
            unit.code.code, whole, _ARGUMENT % keys.apart
        ):
            continue
        rest = re.sub(keys.exact, "", _SUBSCRIPT.sub("[]", _without(keys.apart, text)))
        if not rest:
            continue
        operands = _NAME.findall(rest) if call else [use.name]
        body = device_body_at(unit, use.span.start) or Span(0, len(unit.code.code))
        if body not in given:
            given[body] = _gets_product(unit.code.code[slice(*body)], keys)
        is_product = given[body]
        is_loaded = loaded.get(body, ())
        if re.search(keys.product, rest) or any(
            is_product.get(each, each not in is_loaded and _is_given(unit, each, use.span.start))
            for each in operands
        ):
            lines.add(line)
            unit.report(rule.id, use.span, use.name)


def _loaded(unit: Unit) -> dict[Span, set[str]]:
    """Body of a kernel -> the names of its parameters: what it is given is no product."""
    return {
        each.body: {one.name for one in each.parameters}
        for each in functions(unit.code, unit.rules)
        if each.is_kernel
    }


def _is_given(unit: Unit, name: str, offset: int) -> bool:
    """Whether a function or what it calls may give a name a product.

    Statements in a string are given what is loaded by names that they do not declare.
    """
    return not unit.is_embedded or variable(unit.declarations, name, offset) is not None


def _is_argument(text: str, place: Span, before: str) -> bool:
    """Whether a call is the whole of an argument of one that `before` matches up to it."""
    preceding = text[max(0, place.start - _NEAR) : place.start]
    behind = skip(text, place.end)
    return text[behind : behind + 1] in (",", ")") and re.search(before, preceding) is not None


def _without(functions: str, text: str) -> str:
    """A text without the arguments of calls of functions."""
    pieces: list[str] = []
    at = 0
    for match in re.finditer(rf"\b(?:{functions})\s*\(", text):
        closed = closing_bracket(text, match.end() - 1) if match.start() >= at else None
        if closed is not None:
            pieces.append(text[at : match.start()])
            at = closed + 1
    return "0".join([*pieces, text[at:]])


def _gets_product(text: str, keys: Keys) -> dict[str, bool]:
    """Variable -> whether a product is among the values that a function gives it."""
    found: dict[str, bool] = {}
    for match in _GIVEN.finditer(text):
        value = _without(keys.apart, match[3])
        is_product = bool(match[2]) or re.search(keys.product, value) is not None
        found[match[1]] = found.get(match[1], False) or is_product
    return found
