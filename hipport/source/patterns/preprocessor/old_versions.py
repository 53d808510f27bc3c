"""Tests for releases of CUDA that HIP's API has long passed: they hold for HIP too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code


class FixKeys(RuleKeys, frozen=True):
    macro: str
    newest: int
    """The newest release for which every test of it holds for HIP."""
    lacking: str
    """What later releases brought that HIP lacks: a branch with it is no better under HIP."""


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
        if match is None or not _is_old(match["sign"], int(match["number"]), keys.newest):
            continue
        is_least = match["sign"].startswith(">")
        if re.search(keys.lacking, _chosen(unit.code, directive, is_least)):
            continue
        holds = f"defined({keys.macro}) ||" if is_least else f"!defined({keys.macro}) &&"
        span = Span(*match.span("test"))
        rewrite(unit, "old-version", [(Span(span.start, span.start), f"{holds} ")], [span])


def _is_old(sign: str, number: int, newest: int) -> bool:
    return number <= newest if sign in ("<", ">=") else number < newest


def _chosen(code: Code, directive: Directive, is_first: bool) -> str:
    """What HIP compiles after the edit: the branch of a directive, or those that follow it."""
    marks = list(_marks_after(code, directive))
    if not marks:
        return code.text[directive.span.end :]
    if is_first:
        return code.text[directive.span.end : marks[0].span.start]
    return code.text[marks[0].span.end : marks[-1].span.start]


def _marks_after(code: Code, directive: Directive) -> Iterator[Directive]:
    """The directives that end the branch of another, and those that follow it, to the `#endif`."""
    depth = 0
    for each in code.directives_within(Span(directive.span.start, len(code.text))):
        if each.opens:
            depth += 1
        elif depth:
            depth -= each.keyword == "endif"
        elif each.divides or each.keyword == "endif":
            yield each
            if each.keyword == "endif":
                return
