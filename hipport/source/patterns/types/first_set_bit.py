"""Arguments of __ffs and __ffsll, which HIP overloads where CUDA converts to one type."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_types import type_like
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences
from hipport.source.warps.ported_warps import is_hip

_NAME = regex(r"[A-Za-z_]\w*")
_LITERAL = regex(r"[~-]?\s*(?:0[xX][0-9a-fA-F']+|\d[\d']*)(?:[uU]?(?:ll|LL)|(?:ll|LL)[uU])")


class FixKeys(RuleKeys, frozen=True):
    casts: Mapping[str, str]
    """Function -> the type that CUDA's takes."""
    certain: Regex
    """Types of which HIP has an overload of the wider function."""
    wide: Regex
    """Types that no overload of the narrower function takes."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Cast arguments as CUDA converts them, where no overload of HIP's certainly fits."""
    keys = rule.read(FixKeys)
    if is_hip(unit.code, unit.rules):
        return
    for name, cast in keys.casts.items():
        for start in list(occurrences(unit.code.code, name)):
            callee = Span(start, start + len(name))
            call = parse_call(unit.code, callee)
            if call is None or len(call.arguments) != 1 or unit.code.directive_at(start):
                continue
            span = call.arguments[0]
            if _is_ambiguous(unit, span, keys, is_wide="long" in cast):
                edits = [
                    (Span(span.start, span.start), f"static_cast<{cast}>("),
                    (Span(span.end, span.end), ")"),
                ]
                rewrite(unit, "first-set-bit", edits, [callee])


def _is_ambiguous(unit: Unit, span: Span, keys: FixKeys, *, is_wide: bool) -> bool:
    """Whether no overload certainly takes an argument, by its text and its declaration."""
    argument = unit.code.code[span.start : span.end]
    types = keys.certain if is_wide else keys.wide
    is_known = bool(
        _NAME.fullmatch(argument) and type_like(unit.declarations, argument, span.start, types)
    )
    if not is_wide:
        return is_known
    is_cast = re.match(rf"\(\s*{keys.certain}\s*\)|static_cast\s*<\s*{keys.certain}\s*>", argument)
    if is_cast or _LITERAL.fullmatch(argument):
        return False
    return not is_known
