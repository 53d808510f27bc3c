"""Loops in which a thread waits for another: lanes of a wavefront do not progress independently."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.typed import RuleKeys
from hipport.rulebook.words import Waiting
from hipport.source.flow.branches import Branch, branches, branches_in, enclosing
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import arguments_in, functions
from hipport.source.flow.guards import Calls, Guards
from hipport.source.flow.own_flags import takes_turn, writer, writes_before
from hipport.source.flow.values import LANE, THREAD, WARP, WAVE_LANE, Kinds, Values
from hipport.source.flow.values_of_file import values_of
from hipport.source.names.declared_names import Declarations
from hipport.source.names.declared_types import is_declared_with, type_like
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.quick_search import matches

_READ = regex(r"\b(?P<name>[A-Za-z_]\w*)\s*=(?!=)\s*(?P<value>[^;{}]+);")
_NOTHING_DONE = regex(r"[\w\s*&:;{}]*")
_CHANGES = regex(r"\w\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--")
_PLACE = regex(r"\*\s*[A-Za-z_(]|\w\s*\[|->")
_NAME = regex(r"[A-Za-z_]\w*")
_CALL = regex(r"\b\w+\s*\(")
_LOOP = r"while\b|do\b|for\s*\([^;(){}]*;[^;{}]*;\s*\)"
_ENDLESS = ("", "true", "1")
_LONGEST = 800
_OF_MEMORY = ("plain read", "load")
_WRITERS = {"warp": "place of a warp", "thread": "place of a thread"}


class Wait(msgspec.Struct, frozen=True):
    """A loop that only waits; `waited` is what it looks at."""

    branch: Branch
    is_lock: bool
    waited: str
    read: frozenset[str] = frozenset()


class Keys(RuleKeys, frozen=True):
    reasons: dict[str, str]


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each loop that waits for one of the rule's `reasons`."""
    keys = rule.read(Keys)
    calls: Calls | None = None
    for index, found, waits in _found(unit.declarations, unit.rules):
        every = values_of(unit)
        each = every[index]
        calls = calls or Calls(every)
        guards = Guards(each, found)
        for offset, around in enclosing(found, waits):
            if not counts(unit, rule, offset):
                continue
            picked = guards.chosen(around, offset)
            of_calls = calls.kinds(each.function.name)
            picked = picked.union(*of_calls) if of_calls and all(of_calls) else picked
            reason, severity = _judged(unit, each, waits[offset], picked)
            if reason not in keys.reasons and not picked & {THREAD, WAVE_LANE}:
                reason = _of_own(each, every, around, waits[offset], reason)
            if reason in keys.reasons:
                span = Span(offset, waits[offset].branch.condition.end + 1)
                symbol = " ".join(unit.code.slice(span).split())
                words = {"reason": keys.reasons[reason]}
                unit.report(rule.id, span, symbol, words, severity=severity)


def _read_places(waited: str, words: Waiting) -> str:
    """What the calls that read memory are given; all that a loop looks at, where it has none."""
    given = []
    for match in re.finditer(words.reads, waited):
        if match[0].endswith("("):  # A member's: the object before it.
            given.append(waited[: match.start()])
            continue
        opened = skip(waited, match.end())
        closed = closing_bracket(waited, opened) if waited.startswith("(", opened) else None
        given.append(waited[opened:closed])
    return " ".join(given) or waited


@lru_cache(maxsize=1)
def _found(
    declarations: Declarations, rules: RuleSet
) -> list[tuple[int, list[Branch], dict[int, Wait]]]:
    """The functions with such loops, by their number: their branches, and offset -> loop."""
    code = declarations.code
    text = code.code
    loops = matches(_LOOP, text, re.NOFLAG)
    heads = [each.start() for each in loops if _may_wait(text, each, rules)]
    found = []
    for index, function in enumerate(functions(code, rules) if heads else []):
        first = bisect_left(heads, function.body.start)
        if first < len(heads) and heads[first] < function.body.end:
            all_branches = branches_in(code, function.body)
            found_waits = _waits(declarations, rules, all_branches)
            if waits := {wait.branch.head: wait for wait in found_waits}:
                found.append((index, all_branches, waits))
    return found


def _may_wait(text: str, head: re.Match[str], rules: RuleSet) -> bool:
    """Whether a loop may only wait: checked first, as finding all branches takes long."""
    loop = next(iter(branches(text, Span(*head.span()))), None)
    if loop is None or loop.body.end - loop.body.start > _LONGEST:
        return False
    inside = branches(text, Span(head.start(), loop.end))
    return next(_idle(text, inside, rules.lanes.waiting), None) is not None


def _of_own(
    each: Values, every: list[Values], around: list[Branch], wait: Wait, reason: str
) -> str:
    """Who else waits, where others of the same wavefront may be who is waited for."""
    if reason not in _OF_MEMORY:
        return ""
    read = _read_places(wait.waited, each.rules.lanes.waiting)
    return _WRITERS.get(writer(each, every, around, wait.branch, read), "")


def _judged(unit: Unit, each: Values, wait: Wait, picked: Kinds) -> tuple[str, Severity | None]:
    """Who waits for whom; "" where none of the same wavefront does."""
    if wait.is_lock or takes_turn(each, wait.branch, wait.waited, wait.read):
        if THREAD in picked or WAVE_LANE in picked:
            return "", None
        if LANE in picked:
            return "lock of a warp", None
        return "lock of a thread", Severity.MANUAL if each.function.is_kernel else None
    words = unit.rules.lanes.waiting
    read = _read_places(wait.waited, words)
    if _is_any_declared(unit.declarations, read, wait.branch, words.shared):
        return "flag of the block", None
    looked_at = _CALL.sub(" + (", wait.waited).replace("[", " + (").replace("]", ")")
    is_of_warp = WARP in each.kinds(looked_at, wait.branch.head)
    if is_of_warp and not writes_before(each, wait.branch, read):
        return "place of a warp", None
    return _of_others(unit.declarations, wait, words), None


def _of_others(declarations: Declarations, wait: Wait, words: Waiting) -> str:
    """How a loop reads what others write; "" where it goes on by what it does itself."""
    looked_at = re.sub(words.changing_nothing, " load(", wait.waited)
    if _CHANGES.search(looked_at) or re.search(words.changing, looked_at):
        return ""
    if re.search(words.loads, looked_at):
        return "load from elsewhere" if _is_of_system(declarations, wait, words) else "load"
    is_volatile = words.volatile in _NAME.findall(looked_at) or _is_any_declared(
        declarations, looked_at, wait.branch, words.volatile
    )
    return "plain read" if is_volatile or not _CALL.search(looked_at) else ""


def _is_of_system(declarations: Declarations, wait: Wait, words: Waiting) -> bool:
    """Whether a loop reads what another GPU or the host writes, by a call's name or a type."""
    return re.search(words.of_system, wait.waited) is not None or any(
        type_like(declarations, name, wait.branch.head, words.system)
        for name in set(_NAME.findall(wait.waited))
    )


def _waits(declarations: Declarations, rules: RuleSet, found: list[Branch]) -> Iterator[Wait]:
    words = rules.lanes.waiting
    for loop, waited, read in _idle(declarations.code.code, found, words):
        if _takes_lock(waited, read, words):
            yield Wait(loop, True, waited)
        elif re.search(words.reads, waited) or _reads_memory(declarations, loop, waited, words):
            yield Wait(loop, False, waited, frozenset(read))


def _idle(text: str, found: list[Branch], words: Waiting) -> Iterator[tuple[Branch, str, set[str]]]:
    """The loops that only look: what they look at in their conditions, and read for them."""
    ordered = sorted(found, key=lambda each: each.head)
    heads = [each.head for each in ordered]
    for loop in found:
        if not loop.is_loop or loop.body.end - loop.body.start > _LONGEST:
            continue
        condition = text[slice(*loop.condition)]
        if loop.keyword == "for":
            parts = condition.split(";")
            if len(parts) != 3 or parts[2].strip():
                continue
            condition = parts[1]
        first, end = (bisect_left(heads, each) for each in loop.body)
        inside = ordered[first:end]
        waited, read = _waited(text, loop, condition.strip(), inside, words.idle)
        if waited:
            yield loop, waited, read


def _waited(
    text: str, loop: Branch, condition: str, inside: list[Branch], idle: str
) -> tuple[str, set[str]]:
    """What a loop looks at in its conditions, and what it reads for them; "" if it does more."""
    nothing: tuple[str, set[str]] = ("", set())
    looked_at = "" if condition in _ENDLESS else condition
    body = list(text[slice(*loop.body)])
    for branch in inside:
        if branch.keyword != "if":
            return nothing
        looked_at += f" {text[slice(*branch.condition)]}"
        start, end = branch.head - loop.body.start, branch.body.start - loop.body.start
        body[start:end] = " " * (end - start)
    rest = re.sub(idle, " ", "".join(body))
    read = [(match["name"], match["value"]) for match in _READ.finditer(rest)]
    names = {name for name, _ in read}
    if any(names.intersection(_NAME.findall(value)) for _, value in read):
        return nothing  # It goes on from what it has read.
    if not _NOTHING_DONE.fullmatch(_READ.sub(";", rest)) or _CHANGES.search(looked_at):
        return nothing
    if read and not names.intersection(_NAME.findall(looked_at)):
        return nothing
    return " ".join((looked_at, *(value for _, value in read))), names


def _takes_lock(waited: str, read: set[str], words: Waiting) -> bool:
    """Whether it calls what takes a lock, with arguments that stay the same."""
    for name, count in words.takes.items():
        for at in occurrences(waited, name):
            opened = skip(waited, at + len(name))
            closed = closing_bracket(waited, opened) if waited.startswith("(", opened) else None
            given = arguments_in(waited[opened + 1 : closed])[1:] if closed else []
            if len(given) == count and read.isdisjoint(_NAME.findall(" ".join(given))):
                return True
    return False


def _reads_memory(declarations: Declarations, loop: Branch, waited: str, words: Waiting) -> bool:
    """Whether it reads what others may write: through a pointer, or a variable declared so."""
    return bool(_PLACE.search(waited)) or _is_any_declared(
        declarations, waited, loop, words.shared, words.volatile
    )


def _is_any_declared(
    declarations: Declarations, expression: str, loop: Branch, *words: str
) -> bool:
    """Whether a variable in an expression is declared with one of the words at a loop."""
    return any(
        is_declared_with(declarations, name, loop.head, word)
        for name in set(_NAME.findall(expression))
        for word in words
    )
