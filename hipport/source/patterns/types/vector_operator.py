"""Operators that the user defines on float4 and its kin: HIP's vector types have them already."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each free operator function with a vector type among its parameters."""
    for symbol, _, _ in own_operators(unit, rule):
        unit.report(rule.id, symbol, "".join(unit.code.slice(symbol).split()))


def own_operators(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, int, int]]:
    """Each such function's name, and the brackets of its parameters."""
    text = unit.code.code
    symbol = re.compile(rf"\s*({rule.data['operators']})\s*(?=\()")
    for use in unit.of(rule.names):
        match = symbol.match(text, use.span.end)
        if use.qualifier or match is None:
            continue
        opened = skip(text, match.end())
        closed = closing_bracket(text, opened)
        parameters = text[opened + 1 : closed].split(",")
        if closed and _clashes(rule, parameters) and not _is_explicit_call(text, use.span):
            yield Span(use.span.start, match.end(1)), opened, closed


def _clashes(rule: FindingRule, parameters: list[str]) -> bool:
    """Whether HIP has the operator: one parameter is a vector, the others vectors or numbers."""
    vectors = [re.search(rule.data["types"], each) for each in parameters]
    others = [each for each, vector in zip(parameters, vectors, strict=True) if not vector]
    return any(vectors) and all(re.search(rule.data["scalars"], each) for each in others)


def _is_explicit_call(text: str, span: Span) -> bool:
    before = text[: span.start].rstrip()[-1:]
    return before in ("(", ",", "=", ".")
