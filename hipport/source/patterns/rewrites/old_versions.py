"""Tests for releases of CUDA that HIP's API has long passed: they hold for HIP too."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.patterns.make_rewrites import rewrite
from hipport.source.source_file import Unit


def rewrite_old_versions(unit: Unit) -> None:
    """Let `#if CUDART_VERSION >= 4000` hold for HIP, where the macro is not defined."""
    rule = unit.rules.rewrites["old-version"]
    names = "|".join(unit.rules.vocabulary["rewrite_triggers"]["old_versions"])
    shape = re.compile(
        rf"\s*\(?\s*(?P<test>(?:{names})\s*(?P<sign>[<>]=?)\s*(?P<number>\d+))\s*\)?\s*"
    )
    for directive in unit.code.directives:
        if directive.keyword not in ("if", "elif"):
            continue
        match = shape.fullmatch(unit.code.code, directive.body.start, directive.body.end)
        if match and int(match["number"]) <= rule["newest"]:
            is_least = match["sign"].startswith(">")
            holds = f"defined({rule['macro']}) ||" if is_least else f"!defined({rule['macro']}) &&"
            span = Span(*match.span("test"))
            rewrite(unit, "old-version", [(Span(span.start, span.start), f"{holds} ")], [span])
