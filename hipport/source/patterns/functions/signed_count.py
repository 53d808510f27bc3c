"""Counts of bits, which are int in CUDA and unsigned in HIP, where a sign is seen.

In sums, differences, and products of 32 bits both are the same; not where such a number becomes
one of floats or of 64 bits, and where it is compared or divided.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.names.number_types import NumberTypes
from hipport.source.names.seen_signs import SeenSigns
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences
from hipport.source.warps.ported_warps import is_hip

_QUALIFIED = regex(r"(?:\.|->|::)\Z")


class FixKeys(RuleKeys, frozen=True):
    functions: tuple[str, ...]
    cast: str
    same: Regex
    floats: Regex
    overloaded: Regex
    indifferent: Regex


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Cast a count to CUDA's type where the sign of what is made of it is seen."""
    keys = rule.read(FixKeys)
    if is_hip(unit.code, unit.rules):
        return
    grid = frozenset(unit.rules.device_code.variables)
    types = NumberTypes(unit.declarations, grid, keys.same, keys.floats)
    seen = SeenSigns(types, keys.overloaded, keys.indifferent)
    for callee in _callees(unit, keys.functions):
        name = unit.declarations.node_at(callee)
        node = name.parent if name else None
        if node is None or node.type != "call_expression" or not seen.has_sign(node):
            continue
        end = Span(node.end_byte, node.end_byte)
        edits = [(Span(callee.start, callee.start), f"static_cast<{keys.cast}>("), (end, ")")]
        rewrite(unit, rule.name.replace("_", "-"), edits, [callee])


def _callees(unit: Unit, functions: tuple[str, ...]) -> Iterator[Span]:
    """Where CUDA's functions are called, other than in the text of a macro."""
    for name in functions:
        for start in occurrences(unit.code.code, name):
            is_own = _QUALIFIED.search(unit.code.code, max(0, start - 3), start)
            if not is_own and not unit.code.directive_at(start):
                yield Span(start, start + len(name))
