"""Shuffles in a loop that lanes of a warp leave at different turns: nothing is read from those."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.branches import Branch, branches_in, enclosing
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import arguments_in, functions
from hipport.source.flow.guards import LANES, reach
from hipport.source.flow.operands import without_casts
from hipport.source.flow.values import VARYING, Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.names.constants import number
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.required_texts import has_any

_LOOPS = ("for", "while")
_OF_GROUPS = ("shfl", "shfl_up", "shfl_down", "shfl_xor")
_LONGEST = 600
RANK = "rank"
_COMPARED = regex(r"(?<![<>=!-])(?:[<>]=?)(?![<>=])")
_STEP = regex(r"\s*(?:(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--|[+-]=\s*1\b|(?:<<|>>|[*/])=.*))\s*")
_VARIABLE = regex(r"\s*([A-Za-z_]\w*)\s*")
_WORD = regex(r"(?<![\w.])[A-Za-z_]\w*")


class Keys(RuleKeys, frozen=True):
    members: Regex = Regex("")
    """A shuffle of a `group` of threads: its `name`."""
    ranks: Regex = Regex("")
    """The rank of a thread in a group, which differs between the lanes of a warp."""


class Shuffle(NamedTuple):
    span: Span
    name: str
    group: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the shuffles in loops whose number of turns differs between the lanes."""
    text, keys = unit.code.code, rule.read(Keys)
    if not has_any(text, _LOOPS):
        return
    shuffles = {each.span.start: each for each in _shuffles(unit, rule, keys)}
    starts = sorted(shuffles)
    for index, function in enumerate(functions(unit.code, unit.rules) if starts else ()):
        first, last = (bisect_left(starts, at) for at in function.body)
        if first == last:
            continue
        loops = [each for each in branches_in(unit.code, function.body) if each.is_loop]
        if not loops:
            continue
        turns = Turns(values_of(unit)[index], keys.ranks)
        for offset, around in enclosing(loops, starts[first:last]):
            loop = next(filter(turns.are_uneven, around), None)
            if loop and turns.misses(shuffles[offset], loop) and counts(unit, rule, offset):
                words = {"loop": _head(text, loop)}
                unit.report(rule.id, shuffles[offset].span, shuffles[offset].name, words)


def _shuffles(unit: Unit, rule: FindingRule, keys: Keys) -> Iterator[Shuffle]:
    for use in unit.of(rule.names):
        if not use.is_member:
            yield Shuffle(use.span, use.name, "")
    if unit.code.words.isdisjoint(_OF_GROUPS):
        return
    for match in unit.code.finditer(keys.members):
        name = "".join(match["name"].split())
        yield Shuffle(Span(*match.span("name")), name, match["group"])


class Turns:
    """The loops of a function, and which lanes are in them."""

    def __init__(self, each: Values, ranks: str) -> None:
        self._each, self._ranks = each, ranks
        self._known: dict[int, bool] = {}

    def are_uneven(self, loop: Branch) -> bool:
        """Whether some lanes leave a loop before others."""
        if loop.head not in self._known:
            self._known[loop.head] = any(
                self._differ(loop, *sides) for sides in _comparisons(self._each, loop)
            )
        return self._known[loop.head]

    def _differ(self, loop: Branch, one: str, two: str, whole: str) -> bool:
        """Whether the turn at which a comparison fails depends on the lane.

        Either what a variable is compared with does, or that with which a variable begins whose
        steps do not lead from one warp to another. Where both do, as many turns may be between.
        """
        at = loop.condition.end
        kinds = [self._kinds(side, at) for side in (one, two)]
        # `threadIdx.x - lane` is the same for a whole warp.
        if bool(kinds[0]) == bool(kinds[1]) or len(kinds[0] | kinds[1]) > 1:
            return False
        bound, index = (one, two) if kinds[0] else (two, one)
        counted = _VARIABLE.fullmatch(index)
        if counted and _changes(self._each, loop, counted[1]):
            is_fixed = not any(_changes(self._each, loop, name) for name in _WORD.findall(bound))
            is_ranked = RANK in kinds[0] | kinds[1]
            return is_fixed and (is_ranked or reach(self._each, whole, at) == LANES)
        counted = _VARIABLE.fullmatch(bound)
        step = _STEP.fullmatch(self._each.code.code[slice(*loop.condition)].rpartition(";")[2])
        is_counted = counted and step and counted[1] in (step[1], step[2])
        return bool(loop.keyword == "for" and is_counted)

    def _kinds(self, side: str, offset: int) -> frozenset[str]:
        """What of a lane the side of a comparison depends on, with the rank in a group."""
        found = self._each.kinds(side, offset) & VARYING
        if found or not self._ranks:
            return found
        texts = [side]
        for name in _WORD.findall(side):
            if last := self._each.last(name, offset):
                texts.append(self._each.code.code[slice(*last.span)])
        return frozenset((RANK,)) if any(re.search(self._ranks, text) for text in texts) else found

    def misses(self, shuffle: Shuffle, loop: Branch) -> bool:
        """Whether a shuffle is over more lanes than may leave the loop together.

        Parts of a warp may, and a group that is made in the loop has only those that are in it.
        """
        if shuffle.group:
            made = self._each.last(shuffle.group, shuffle.span.start)
            return made is None or made.offset < loop.head
        text = self._each.code.code
        opened = skip(text, shuffle.span.end)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None or closed - opened > _LONGEST:
            return False
        arguments = arguments_in(text[opened + 1 : closed])
        if len(arguments) < (4 if shuffle.name.endswith("_sync") else 3):
            return True
        lanes, width = self._each.words, arguments[-1].strip()
        is_whole = number(self._each.code, self._each.rules, width) == lanes.lanes
        return is_whole or width in lanes.warp_size


def _comparisons(each: Values, loop: Branch) -> Iterator[tuple[str, str, str]]:
    """The two sides of each comparison that ends a loop, and the whole of it."""
    condition = each.code.code[slice(*loop.condition)]
    if loop.keyword == "for":
        condition = [*condition.split(";"), ""][1]
    for part in without_casts(condition).split("&&") if "||" not in condition else ():
        compared = list(_COMPARED.finditer(part))
        if len(compared) == 1:
            yield part[: compared[0].start()], part[compared[0].end() :], part


def _changes(each: Values, loop: Branch, name: str) -> bool:
    """Whether a loop changes a variable, in its body or in its last part."""
    text = each.code.code
    start = loop.condition.start
    if loop.keyword == "for":
        start = text.find(";", *loop.condition) + 1
    begin, end = min(start, loop.body.start), max(loop.body.end, loop.condition.end)
    changed = regex(
        rf"(?<![\w.>])(?:(?:\+\+|--)\s*{name}\b|{name}\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=)))"
    )
    return changed.search(text, begin, end) is not None


def _head(text: str, loop: Branch) -> str:
    keyword = "do … while" if loop.keyword == "do" else loop.keyword
    return f"{keyword} ({' '.join(text[slice(*loop.condition)].split())})"
