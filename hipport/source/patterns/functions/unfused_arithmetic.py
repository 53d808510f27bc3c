"""Arithmetic by functions that keep nvcc from fusing a product and a sum, which clang fuses."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, device_body_at
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip

_NEAR = 300
_GIVEN = regex(r"\b([A-Za-z_]\w*)\s*(\*?)=(?!=)(?=([^;{}]{0,400}))")
_SUBSCRIPT = regex(r"\[[^\[\]]*\]")
_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*[\[(.])")


class Keys(RuleKeys, frozen=True):
    product: Regex
    """A product that may be rounded, in a text."""
    exact: Regex
    """A call for a product that is never rounded: by a power of two."""
    added: Regex
    """What is before a product that a call adds to another one: nothing fuses it again."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each product, and each sum that a product may reach, once per line."""
    keys = rule.read(Keys)
    given: dict[Span, dict[str, bool]] = {}
    lines: set[int] = set()
    for use in unit.of(rule.names):
        line = unit.code.position(use.span.start).line
        call = parse_call(unit.code, use.span)
        if line in lines or not counts(unit, rule, use.span.start):
            continue
        if call and _is_added(unit.code.code, Span(use.span.start, call.closed + 1), keys.added):
            continue
        text = unit.code.code[use.span.start : call.closed + 1 if call else use.span.end]
        rest = re.sub(keys.exact, "", _SUBSCRIPT.sub("[]", text))
        if not rest:
            continue
        # What is given elsewhere, as a parameter is, may be a product.
        operands = _NAME.findall(rest) if call else [use.name]
        body = device_body_at(unit, use.span.start) or Span(0, len(unit.code.code))
        if body not in given:
            given[body] = _gets_product(unit.code.code[slice(*body)], keys.product)
        gets_product = given[body]
        if re.search(keys.product, rest) or any(gets_product.get(each, True) for each in operands):
            lines.add(line)
            unit.report(rule.id, use.span, use.name)


def _is_added(text: str, product: Span, added: str) -> bool:
    """Whether a product is the whole of an argument of a call that multiplies and adds."""
    before = text[max(0, product.start - _NEAR) : product.start]
    behind = skip(text, product.end)
    return text[behind : behind + 1] in (",", ")") and re.search(added, before) is not None


def _gets_product(text: str, product: str) -> dict[str, bool]:
    """Variable -> whether a product is among the values that a function gives it."""
    found: dict[str, bool] = {}
    for match in _GIVEN.finditer(text):
        is_product = bool(match[2]) or re.search(product, match[3]) is not None
        found[match[1]] = found.get(match[1], False) or is_product
    return found
