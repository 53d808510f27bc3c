"""Tests for the C++ standard by CCCL's macro, which ROCm's headers lack."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit

_CONDITIONS = ("if", "elif")


class FixKeys(RuleKeys, frozen=True):
    years: dict[str, str]
    """CCCL's name of a standard -> the highest value of __cplusplus that it names so, in order."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Compare `__cplusplus` with the value between the two standards that a test distinguishes."""
    years = rule.read(FixKeys).years
    before = dict(zip(list(years)[1:], years.values(), strict=False))
    for directive in unit.code.directives:
        if directive.keyword not in _CONDITIONS:
            continue
        for match in re.finditer(
            rf"\b(?:{'|'.join(rule.when)})\s*(?P<sign>[<>]=?)\s*(?P<year>\d+)\b",
            unit.code.slice(directive.body),
        ):
            sign, year = match["sign"], match["year"]
            value = (before if sign in (">=", "<") else years).get(year)
            start = directive.body.start
            if value:
                new = f"__cplusplus {'>' if '>' in sign else '<='} {value}"
                span = Span(start + match.start(), start + match.end())
                rewrite(unit, "language-version", [(span, new)], [span])
