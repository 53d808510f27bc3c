"""Names and headers of HIP that a release of ROCm removed, changed, or deprecated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import MoveRule, parse_version
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.include_directives import includes
from hipport.source.text.quick_search import matches


class Keys(RuleKeys, frozen=True):
    changes: frozenset[str]
    """The changes of rules/hip_moves.tsv that the finding is about."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use of a name that has a new one, and the first use of others in the file."""
    keys = rule.read(Keys)
    for move in _reached(unit.rules, unit.options.rocm):
        if move.change not in keys.changes:
            continue
        for span in _places(unit, move):
            if not counts(unit, rule, span.start):
                continue
            symbol = unit.code.slice(span)
            words = {
                "release": move.release,
                "change": move.change,
                "advice": _advice(move, symbol),
            }
            unit.report(rule.id, span, symbol, words)
            if not move.to:
                break


@lru_cache(maxsize=2)
def _reached(rules: RuleSet, rocm: tuple[int, ...]) -> list[MoveRule]:
    """The moves up to a release; of several of one name, the last."""
    reached = [each for each in rules.moves if parse_version(each.release) <= rocm]
    return list({each.name: each for each in reached}.values())


def _places(unit: Unit, move: MoveRule) -> Iterator[Span]:
    """Where the file uses a name, or includes a header, that moved; not where it declares one."""
    if move.name.startswith("<"):
        for name, directive in includes(unit.code):
            if re.fullmatch(move.name, f"<{name}>"):
                start = unit.code.text.index(name, directive.body.start)
                yield Span(start, start + len(name))
        return
    shape = rf"(?<![\w:.])(?<!->)(?:::)?(?P<symbol>{move.name})(?!\w)"
    if unit.code.may_match(move.name):
        for match in matches(shape, unit.code.code, re.ASCII):
            span = Span(*match.span("symbol"))
            if unit.declarations.scope(span) is None:
                yield span


def _advice(move: MoveRule, symbol: str) -> str:
    """What to write instead, and what else to do."""
    old = f"<{symbol}>" if move.name.startswith("<") else symbol
    new = re.sub(move.name, move.to, old) if move.to else ""
    return " ".join(filter(None, (f"Write {new}." if new else "", move.advice)))
