"""Names and headers of HIP that a release of ROCm removed, changed, or deprecated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Edit, Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import MoveRule, parse_version
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.hip_branches import is_for_some_releases
from hipport.source.names.made_names import is_part_of_name
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.include_directives import includes
from hipport.source.text.source_text import Code
from hipport.source.warps.ported_warps import macros_for_amd

_REWRITE = "moved-name"
_DEFINED = regex(r"\bdefined[\s(]*\Z")


class Keys(RuleKeys, frozen=True):
    changes: frozenset[str]
    """The changes of rules/hip_moves.tsv that the finding or the rewrite is about."""
    never_set: Regex = Regex("")
    """Macros that are not set for AMD's GPUs: conditions have the same value there as before."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use of a name that has a new one, and the first use of others in the file."""
    keys = rule.read(Keys)
    for move in _moves(unit, keys):
        for span in _places(unit, move):
            if not counts(unit, rule, span.start):
                continue
            if _is_certain(move):
                edit = Edit(span, _new(unit, move, span).encode("latin-1"), f"rewrite:{_REWRITE}")
                unit.fixes.append((span, edit.rule, "safe", [edit]))
            words = {
                "release": move.release,
                "change": move.change,
                "advice": _advice(unit, move, span),
            }
            is_kept = _is_alternative(unit, span) or _is_never_set(unit, span, keys)
            severity = Severity.REVIEW if is_kept else None
            unit.report(rule.id, span, unit.code.slice(span), words, severity=severity)
            if not move.to:
                break


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write the new name where that is all there is to do."""
    for move in filter(_is_certain, _moves(unit, rule.read(Keys))):
        for span in _places(unit, move):
            rewrite(unit, _REWRITE, [(span, _new(unit, move, span))], [span])


def _is_certain(move: MoveRule) -> bool:
    """Whether the new name is all that changes: advice says what else there is to do."""
    return bool(move.to) and not move.advice


def _moves(unit: Unit, keys: Keys) -> Iterator[MoveRule]:
    mentioned = _mentioned(unit.code, unit.rules, unit.options.rocm)
    return (each for each in mentioned if each.change in keys.changes)


@lru_cache(maxsize=1)
def _mentioned(code: Code, rules: RuleSet, rocm: tuple[int, ...]) -> list[MoveRule]:
    """The moves that a file may be about; most names are plain words, which need no search."""
    return [
        each
        for each in _reached(rules, rocm)
        if (
            each.name in code.words
            if each.name.isidentifier()
            else code.may_match(each.name.strip("<>"))  # A header may be in quotes, too.
        )
    ]


@lru_cache(maxsize=2)
def _reached(rules: RuleSet, rocm: tuple[int, ...]) -> list[MoveRule]:
    """The moves up to a release; of several of one name, the last."""
    reached = [each for each in rules.moves if parse_version(each.release) <= rocm]
    return list({each.name: each for each in reached}.values())


def _places(unit: Unit, move: MoveRule) -> Iterator[Span]:
    """Where the file uses a name, or includes a header, that moved.

    Not where it declares the name, nor where a condition tests for the release or the new name; and
    nowhere if it is a macro of the file's.
    """
    if _is_own_macro(unit, move.name):
        return
    for span in _written(unit, move):
        is_old = is_for_some_releases(unit.code, unit.rules, span.start)
        if not is_old and not _is_tested(unit, move, span):
            yield span


def _is_own_macro(unit: Unit, name: str) -> bool:
    """Whether the file defines a macro of the name."""
    names = frozenset((name,))
    return name.isidentifier() and bool(macros_for_amd(unit.code, unit.rules, names))


def _written(unit: Unit, move: MoveRule) -> Iterator[Span]:
    if move.name.startswith("<"):
        for name, directive in includes(unit.code):
            if re.fullmatch(move.name, f"<{name}>"):
                start = unit.code.text.index(name, directive.body.start)
                yield Span(start, start + len(name))
        return
    shape = rf"(?<![\w:.])(?<!->)(?:::)?(?P<symbol>{move.name})(?!\w)"
    for match in unit.code.finditer(shape, re.ASCII):
        span = Span(*match.span("symbol"))
        if is_part_of_name(unit.code, span):
            continue  # A macro makes another name of it.
        if unit.declarations.scope(span) is None:
            yield span


def _is_tested(unit: Unit, move: MoveRule, span: Span) -> bool:
    """Whether the name is in a condition that has the new name, too.

    A macro that is gone without a new name only makes the test of it false.
    """
    directive = unit.code.directive_at(span.start)
    if directive is None or not directive.is_condition:
        return directive is not None and directive.keyword == "error"
    if not move.to:
        before = unit.code.code[directive.body.start : span.start]
        return directive.keyword in ("ifdef", "ifndef") or _DEFINED.search(before) is not None
    return _new(unit, move, span) in unit.code.code[slice(*directive.body)]


def _is_alternative(unit: Unit, span: Span) -> bool:
    """Whether a condition holds by another macro for AMD too, as `__HIPCC__` in all that is HIP."""
    directive = unit.code.directive_at(span.start)
    if directive is None or not directive.is_condition:
        return False
    text = unit.code.code
    others = f"{text[directive.body.start : span.start]} {text[span.end : directive.body.end]}"
    macros = unit.rules.device_code.ported_macros
    return "||" in others and "&&" not in others and re.search(macros, others) is not None


def _is_never_set(unit: Unit, span: Span, keys: Keys) -> bool:
    """Whether a condition asks for a macro that AMD's GPUs never had, under any name."""
    directive = unit.code.directive_at(span.start)
    is_condition = directive is not None and directive.is_condition
    return is_condition and re.fullmatch(keys.never_set, unit.code.slice(span)) is not None


def _new(unit: Unit, move: MoveRule, span: Span) -> str:
    return _filled(unit, move, span, move.to).strip("<>")


def _filled(unit: Unit, move: MoveRule, span: Span, text: str) -> str:
    """A text with what the groups of the name stand for at a place."""
    old = unit.code.slice(span)
    match = re.fullmatch(move.name, f"<{old}>" if move.name.startswith("<") else old)
    return match.expand(text) if match else text


def _advice(unit: Unit, move: MoveRule, span: Span) -> str:
    """What to write instead, and what else to do."""
    new, advice = (_filled(unit, move, span, each) for each in (move.to, move.advice))
    return " ".join(filter(None, (f"Write {new}." if new else "", advice)))
