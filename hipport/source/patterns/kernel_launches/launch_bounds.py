"""The arguments of __launch_bounds__, a macro in HIP, whose second means something else there."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.constants import definitions_in_file, number
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.warps.kept_warps import is_native

_THREADS = 128
_COUNTED = f"/ {_THREADS}"
_PLAIN = regex(r"\w+")
_COMPARES = regex(r"[=!]=|&&|\|\||\A\s*(?:true|false)\s*\Z")
_CHOOSES = regex(r"[?,+*/%-]|<<|>>")


class Keys(RuleKeys, frozen=True):
    arguments: str
    harmless: str | None = None


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use whose `arguments` (a number, or "split") are the rule's."""
    keys = rule.read(Keys)
    text = unit.code.code
    for use in unit.of(rule.names):
        opened = skip(text, use.span.end)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None or not counts(unit, rule, use.span.start):
            continue
        if keys.harmless and is_native(unit, use.span.start):
            continue  # What is written for HIP knows what it says.
        directive = unit.code.directive_at(use.span.start)
        if directive is not None and text[directive.body.start : use.span.start].strip() == "":
            continue  # its own definition
        pieces = [text[slice(*each)] for each in _pieces(text, Span(opened + 1, closed))]
        depths = list(map(_depth, pieces))
        is_split = max(depths) > 0 > min(depths)
        kind = "split" if is_split else str(len(pieces))
        is_harmless = (
            pieces[1:2] == [keys.harmless]
            or _is_the_same(unit, pieces[0])
            or any(_is_condition(unit, each) for each in pieces[1:2])
        )
        if kind == keys.arguments and not (keys.harmless and is_harmless):
            unit.report(rule.id, use.span, use.name, {"second": pieces[1]})


def _is_the_same(unit: Unit, threads: str) -> bool:
    """Whether as many wavefronts to a SIMD as blocks are what CUDA's blocks come to.

    A macro that the file gives a number only if nobody else has may have another one.
    """
    default = rf"#[ \t]*ifndef[ \t]+{re.escape(threads)}\b"
    same = number(unit.code, unit.rules, threads) == _THREADS
    return same and re.search(default, unit.code.code) is None


def _is_condition(unit: Unit, blocks: str) -> bool:
    """Whether a constant of the file is a condition, so that it asks for one block at most."""
    given = definitions_in_file(unit.code, blocks.rpartition("::")[2])
    return bool(given) and all(
        _COMPARES.search(each.text) and _CHOOSES.search(each.text) is None for each in given
    )


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Drop a third argument, parenthesize template calls; suggest another second argument."""
    text = unit.code.code
    for use in unit.of(rule.when):
        opened = skip(text, use.span.end)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        directive = unit.code.directive_at(use.span.start)
        is_definition = directive is not None and directive.keyword == "define"
        if (
            closed is None
            or is_definition
            or any(unit.code.directives_within(Span(opened, closed)))
        ):
            continue
        pieces = _pieces(text, Span(opened + 1, closed))
        depths = [_depth(text[piece.start : piece.end]) for piece in pieces]
        if max(depths) > 0 > min(depths):
            _parenthesize(unit, use.span, pieces, depths)
        elif any(depths):
            continue
        elif len(pieces) in (2, 3):
            second = unit.code.slice(pieces[1])
            is_other = second != "1" and not second.endswith(_COUNTED)
            if is_other and "<hip/" not in unit.code.text:
                edit = (pieces[1], _waves(unit.code.slice(pieces[0]), second))
                rewrite(unit, "launch-bounds-waves", [edit], [use.span])
            if len(pieces) == 3:
                if is_other:
                    unit.report("HP-LAUNCH-001", use.span, use.name, {"second": second})
                cut = Span(pieces[1].end, pieces[2].end)
                rewrite(unit, "launch-bounds-cluster", [(cut, "")], [use.span])


def _pieces(text: str, span: Span) -> list[Span]:
    """The arguments as the preprocessor splits them, without blanks around them."""
    bounds, at = [span.start], span.start
    while at < span.end:
        closed = closing_bracket(text, at) if text[at] in "([{" else None
        at = closed if closed is not None else at
        if text[at] == ",":
            bounds.append(at + 1)
        at += 1
    pieces = []
    for start, end in zip(bounds, [*(each - 1 for each in bounds[1:]), span.end], strict=True):
        inner = text[start:end]
        first = start + len(inner) - len(inner.lstrip())
        pieces.append(Span(first, max(first, start + len(inner.rstrip()))))
    return pieces


def _depth(piece: str) -> int:
    return piece.count("<") - piece.count(">")


def _parenthesize(unit: Unit, name: Span, pieces: list[Span], depths: list[int]) -> None:
    """Put each argument whose template brackets span several pieces in parentheses."""
    edits: list[tuple[Span, str]] = []
    depth = start = 0
    for piece, change in zip(pieces, depths, strict=True):
        if depth == 0:
            start = piece.start
        depth += change
        if depth == 0 and start != piece.start:
            edits += [(Span(start, start), "("), (Span(piece.end, piece.end), ")")]
    if depth == 0 and edits:
        rewrite(unit, "launch-bounds-template", edits, [name])


def _waves(threads: str, blocks: str) -> str:
    """The wavefronts per SIMD of a compute unit that runs so many blocks at once, on CDNA."""
    first, second = (each if _PLAIN.fullmatch(each) else f"({each})" for each in (threads, blocks))
    return f"({first} * {second} + {_THREADS - 1}) {_COUNTED}"
