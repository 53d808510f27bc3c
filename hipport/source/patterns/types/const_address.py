"""`reinterpret_cast` of a pointer to constants, to a type that is an integer only in CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import type_like
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.quick_search import matches

_FINDING = "HP-TYPE-301"
_OF_CONSTANTS = r"const (?!.*\(\*\)).*\*"


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each such cast."""
    for whole, _ in _casts(unit, rule):
        if counts(unit, rule, whole.start):
            unit.report(rule.id, whole, " ".join(unit.code.slice(whole).split()))


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write the cast as in C, which takes away `const`, too."""
    for whole, kind in list(_casts(unit, unit.rules.findings[_FINDING])):
        opened = unit.code.code.index("(", kind.end)
        edits = [(Span(whole.start, kind.start), "("), (Span(kind.end, opened), ")")]
        rewrite(unit, "const-address", edits, [whole])


def _casts(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, Span]]:
    """Each cast of a variable, and the type in it."""
    types = "|".join(sorted(rule.names))
    cast = rf"\b(?P<cast>reinterpret_cast)\s*<\s*(?P<kind>{types})\s*>\s*\(\s*(?P<name>\w+)\s*\)"
    for match in matches(cast, unit.code.code):
        place = match.start("name")
        is_const = type_like(unit.declarations, match["name"], place, _OF_CONSTANTS)
        if is_const and unit.code.directive_at(match.start()) is None:
            yield Span(*match.span()), Span(*match.span("kind"))
