"""The arguments of __launch_bounds__, a macro in HIP, whose second means something else there."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each use whose `arguments` (a number, or "split") are the rule's."""
    text = unit.code.code
    for use in unit.of(rule.names):
        opened = skip(text, use.span.end)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None or not counts(unit, rule, use.span.start):
            continue
        directive = unit.code.directive_at(use.span.start)
        if directive is not None and text[directive.body.start : use.span.start].strip() == "":
            continue  # its own definition
        pieces = _pieces(text, Span(opened + 1, closed))
        depths = [piece.count("<") - piece.count(">") for piece in pieces]
        is_split = max(depths) > 0 > min(depths)
        kind = "split" if is_split else str(len(pieces))
        if kind == rule.data["arguments"] and pieces[1:2] != [rule.data.get("harmless")]:
            unit.report(rule.id, use.span, use.name, {"second": pieces[1]})


def _pieces(text: str, span: Span) -> list[str]:
    """The arguments as the preprocessor splits them: at each comma outside brackets."""
    pieces = [""]
    at = span.start
    while at < span.end:
        char = text[at]
        closed = closing_bracket(text, at) if char in "([{" else None
        if closed is not None:
            pieces[-1] += text[at:closed]
            at = closed
        elif char == ",":
            pieces.append("")
        else:
            pieces[-1] += char
        at += 1
    return [piece.strip() for piece in pieces]
