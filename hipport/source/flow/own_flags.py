"""Waits for what the same function writes only behind them: each warp waits for an earlier one.

A function that writes first, as a barrier or a look-back does, lets its whole wavefront go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.rulebook.words import Waiting
from hipport.source.flow.branches import Branch, branches_in, enclosing
from hipport.source.flow.guards import Guards
from hipport.source.flow.values import LANE, THREAD, WARP, WAVE_LANE, Kinds, Values
from hipport.source.names.constants import number
from hipport.source.text.brackets import closing_bracket, occurrences, skip

_CANDIDATE = regex(r"(?<![\w.>])([A-Za-z_]\w*)\s*(?:\[|->|\.)")
_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*\()")
_MEMBER = regex(r"\s*(?:\.|->)\s*[A-Za-z_]\w*")
_ASSIGNED = regex(r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\s*(?:\+\+|--)")
_EQUAL = regex(r"(?P<one>[^=!<>]+)(?P<mark>==|<=?(?!<))(?P<two>[^=!<>]+)")
_COMPARED = regex(r"[=!]=(?!=)")
_FIRST = regex(r"[\s(]*([A-Za-z_]\w*)\b(?!\s*[(\[.]|->)")
_LAST = regex(r"(?<![\w.>])([A-Za-z_]\w*)[\s)]*\Z")
_WORD_BEFORE = regex(r"\b(?:else|do)\Z")
_RESET = regex(r"[^;=]*=\s*0\w*\s*;")
_BEFORE = 80


def writer(
    each: Values, others: list[Values], around: list[Branch], loop: Branch, read: str
) -> str:
    """Who writes what a loop reads, only behind it: "warp", "thread", or "" if none does.

    Where one lane of each warp waits, another function may write, with one lane of each too.
    """
    if any(_is_of_one_warp(each, branch, loop.head) for branch in around):
        return ""
    start = min(loop.head, loop.body.start)
    found = [(at, index) for at, index in _written(each, read) if not start <= at < loop.end]
    if _is_before(each, found, loop):
        return ""
    waits = _guards(each).chosen(around, loop.head)
    for at, index, picked in _picked(each, found):
        if kind := _of(each, at, index, picked, waits):
            return kind
    if found or LANE not in waits:
        return ""
    for other in others:
        for _, _, picked in _picked(other, list(_written(other, read))):
            if LANE in picked and not picked & {THREAD, WAVE_LANE}:
                return "warp"
    return ""


def _picked(each: Values, found: list[tuple[int, str]]) -> Iterator[tuple[int, str, Kinds]]:
    """Each place that is written to, with which lanes reach it."""
    indices = dict(found)
    if indices:
        guards = _guards(each)
        for at, around in enclosing(branches_in(each.code, each.function.body), indices):
            yield at, indices[at], guards.chosen(around, at)


def _guards(each: Values) -> Guards:
    return Guards(each, branches_in(each.code, each.function.body))


def writes_before(each: Values, loop: Branch, read: str) -> bool:
    """Whether a function has written to what a loop reads: others do not wait for it then."""
    return _is_before(each, list(_written(each, read)), loop)


def _is_before(each: Values, found: list[tuple[int, str]], loop: Branch) -> bool:
    start = min(loop.head, loop.body.start)
    before = [at for at, _ in found if at < start and not _RESET.match(each.code.code, at)]
    others = [
        branch.body
        for branch in (branches_in(each.code, each.function.body) if before else [])
        if branch.other and branch.other.start <= start < branch.other.end
    ]
    return any(all(not one.start <= at < one.end for one in others) for at in before)


def _written(each: Values, read: str) -> Iterator[tuple[int, str]]:
    """Where a function writes to what is read: the offset, and what stands behind the name."""
    names = set(_CANDIDATE.findall(read)) or set(_NAME.findall(read))
    for name in names:
        yield from _writes(each.code.code, name, each.rules.lanes.waiting, *each.function.body)


def takes_turn(each: Values, loop: Branch, waited: str, read: frozenset[str]) -> bool:
    """Whether a loop waits for a number that it was given by an atomic elsewhere: a ticket."""
    draws, text = each.rules.lanes.waiting.draws, each.code.code
    compared = _COMPARED.search(waited)
    if compared is None:
        return False
    sides = (_LAST.search(waited, 0, compared.start()), _FIRST.match(waited, compared.end()))
    for name in {side[1] for side in sides if side} - read:
        last = each.last(name, min(loop.head, loop.body.start))
        given = text[slice(*last.span)] if last else ""
        if drawn := re.match(draws, given):
            place = given[drawn.end() :].split(",")[0].strip(" &()\n\t")
            return place not in waited
    return False


def _of(each: Values, at: int, index: str, picked: Kinds, waits: Kinds) -> str:
    """Whose place is written to: that of each warp, or of each thread."""
    if picked & {THREAD, WAVE_LANE}:
        return ""
    kinds = each.kinds("0" + index.replace("[", " + (").replace("]", ")"), at)
    if WARP in kinds:
        return "warp"
    if THREAD in kinds and LANE not in picked | waits:
        return "thread"
    broadcast = each.rules.lanes.waiting.broadcast
    for name in _NAME.findall(index):
        last = each.last(name, at)
        if last and re.search(broadcast, each.code.code[slice(*last.span)]):
            return "warp"
    return ""


def _writes(
    text: str, name: str, words: Waiting, start: int, end: int
) -> Iterator[tuple[int, str]]:
    """Where a place is written to: the offset, and what stands behind its name."""
    for at in occurrences(text, name, start, end):
        behind = _behind(text, at + len(name))
        if _ASSIGNED.match(text, behind):
            if not _is_declared(text, at):
                yield at, text[at + len(name) : behind]
        elif _is_written_by_call(text, max(start, at - _BEFORE), at, words):
            comma = text.find(",", behind)
            yield at, text[at + len(name) : max(comma, behind)]


def _is_written_by_call(text: str, start: int, at: int, words: Waiting) -> bool:
    """Whether a place is the first argument of a call that writes, and not the same again."""
    call = re.compile(words.writes).search(text, start, at)
    return call is not None and not re.compile(words.changing_nothing).match(text, call.start())


def _is_declared(text: str, at: int) -> bool:
    """Whether a type stands before a name."""
    before = text[max(at - _BEFORE, 0) : at].rstrip()
    if before.endswith("*"):
        before = before[:-1].rstrip()
    return before[-1:].isalnum() and _WORD_BEFORE.search(before) is None


def _behind(text: str, at: int) -> int:
    """The end of a place: behind its subscripts and members."""
    while True:
        opened = skip(text, at)
        if text.startswith("[", opened) and (closed := closing_bracket(text, opened)):
            at = closed + 1
        elif member := _MEMBER.match(text, at):
            at = member.end()
        else:
            return at


def _is_of_one_warp(each: Values, branch: Branch, offset: int) -> bool:
    """Whether an `if` lets one warp of the block through, or its threads below a number."""
    if branch.keyword != "if" or not branch.body.start <= offset < branch.body.end:
        return False
    for part in each.code.code[slice(*branch.condition)].split("&&"):
        if part.strip().startswith("!") and WARP in each.kinds(part, branch.head):
            return True
        compared = _EQUAL.fullmatch(part)
        if compared is None or not each.kinds(compared["one"], branch.head) & {THREAD, WARP}:
            continue
        value = number(each.code, each.rules, compared["two"].strip(" ()"))
        if value is not None and (compared["mark"] == "==" or value <= each.words.lanes):
            return True
    return False
