"""A file's own overloads of warp functions, for types that CUDA's functions do not accept."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip

_LONGEST = 4_000


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each definition: calls of it become those of a helper that takes every type."""
    text = unit.code.code
    for use in (each for name in rule.names for each in unit.uses.get(name, ())):
        opened = skip(text, use.span.end)
        closed = closing_bracket(text, opened, _LONGEST) if text.startswith("(", opened) else None
        if closed is None or text[(body := skip(text, closed + 1)) : body + 1] != "{":
            continue
        if unit.declarations.scope(use.span) is not None and not _is_of_a_class(unit, use.span):
            unit.report(rule.id, use.span, use.name)


def _is_of_a_class(unit: Unit, name: Span) -> bool:
    node = unit.declarations.root.named_descendant_for_byte_range(name.start, name.end)
    while node is not None and node.type != "field_declaration_list":
        node = node.parent
    return node is not None
