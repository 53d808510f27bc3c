"""Definitions that are compiled only for CUDA, as HIP's headers have them."""

from __future__ import annotations

from hipport.model import Span
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.edits import apply


def guard(unit: Unit, rule: str, macro: str, span: Span, symbols: list[Span]) -> None:
    """Compile whole lines only where a macro is not defined; not if others share the lines.

    `rule` is the edit of rules/rewrites, which answers findings at the symbols.
    """
    text, newline = unit.code.text, unit.newline
    start = text.rfind("\n", 0, span.start) + 1
    closed = text.find("\n", span.end) + 1
    end = closed or len(text)
    if text[start : span.start].strip() or text[span.end : end].strip():
        return
    if any(unit.code.directives_within(Span(start - 1, end))):
        return
    edits = [
        (Span(start, start), f"#ifndef {macro}{newline}"),
        (Span(end, end), f"#endif{newline}" if closed else f"{newline}#endif"),
    ]
    rewrite(unit, rule, edits, symbols)


def converted(unit: Unit, span: Span) -> str:
    """What a span will hold, with the edits made so far; what is put before it is not in it."""
    before = Span(span.start, span.start)
    edits = [each for each in unit.edits.starting_in(span) if each.span != before]
    return apply(unit.code.data, edits, span).decode("latin-1")


def definition(unit: Unit, symbol: Span, closed: int) -> tuple[int, Span] | None:
    """Where a plain function definition begins, and the brackets of its body."""
    text = unit.code.code
    opened = skip(text, closed + 1)
    end = closing_bracket(text, opened) if text.startswith("{", opened) else None
    start = max(text.rfind(each, 0, symbol.start) for each in ";{}") + 1
    for directive in unit.code.directives_within(Span(start - 1, symbol.start)):
        start = max(start, directive.span.end)
    start = skip(text, start)
    head = text[start : symbol.start]
    if end is None or "template" in head or "operator" in head:
        return None
    return start, Span(opened, end)
