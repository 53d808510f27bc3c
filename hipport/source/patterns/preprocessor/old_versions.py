"""Tests for releases of CUDA that HIP's API has long passed: they hold for HIP too."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit


class FixKeys(RuleKeys, frozen=True):
    macro: str
    newest: int
    """The newest release for which every test of it holds for HIP."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Let `#if CUDART_VERSION >= 4000` hold for HIP, where the macro is not defined."""
    keys, names = rule.read(FixKeys), "|".join(rule.when)
    shape = re.compile(
        rf"\s*\(?\s*(?P<test>(?:{names})\s*(?P<sign>[<>]=?)\s*(?P<number>\d+))\s*\)?\s*"
    )
    for directive in unit.code.directives:
        if directive.keyword not in ("if", "elif"):
            continue
        match = shape.fullmatch(unit.code.code, directive.body.start, directive.body.end)
        if match and int(match["number"]) <= keys.newest:
            is_least = match["sign"].startswith(">")
            holds = f"defined({keys.macro}) ||" if is_least else f"!defined({keys.macro}) &&"
            span = Span(*match.span("test"))
            rewrite(unit, "old-version", [(Span(span.start, span.start), f"{holds} ")], [span])
