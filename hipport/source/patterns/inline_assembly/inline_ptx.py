"""Inline assembly in PTX. An empty template is a compiler barrier and works everywhere."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.flow.asm_statements import PtxWords as Keys
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip

_LONGEST = 20_000


def find(unit: Unit, rule: FindingRule) -> None:
    """Report every asm statement with instructions that are, or look like, PTX."""
    keys = rule.read(Keys)
    text = unit.code.code
    qualifier = re.compile(rf"\s*(?:{'|'.join(keys.words)})\b")
    for use in unit.of(rule.names):
        at = use.span.end
        while match := qualifier.match(text, at):
            at = match.end()
        opened = skip(text, at)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None:
            continue
        template = _template(unit, Span(opened, closed))
        if not template.strip() or re.search(keys.amd, template):
            continue
        if unit.language == "cuda" or re.search(keys.ptx, template):
            unit.report(rule.id, use.span, use.name)


def _template(unit: Unit, span: Span) -> str:
    """The literals of an asm statement before its first operand list."""
    colon = unit.code.code.find(":", span.start, span.end)
    end = span.end if colon < 0 else colon
    literals = unit.code.literals_within(Span(span.start, end))
    if not literals and unit.code.code[span.start + 1 : end].strip():
        return "."
    text = "".join(unit.code.text[each.start + 1 : each.end - 1] for each in literals)
    return re.sub(r"\\[nt]", "\n", text)[:_LONGEST]
