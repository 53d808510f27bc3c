"""What an expression's value depends on: the thread, its lane, its warp.

Assignments of a function are followed in their order; arguments are followed to the parameters of
functions and lambdas of the same file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import TypeVar

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.body_text import (
    CALL,
    WORD,
    arguments_of,
    assigned,
    calls,
    lambdas,
)
from hipport.source.flow.device_functions import (
    Function,
    functions,
    parameters_in,
)
from hipport.source.flow.operands import (
    LONGEST_EXPRESSION,
    operand_before,
    operand_behind,
    without_subscripts,
)
from hipport.source.flow.returned_values import Returned, ReturnedValues
from hipport.source.flow.ways import Ways
from hipport.source.names.constants import definitions, every_definition, number
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.source_text import Code

THREAD = "thread"
"""Differs between the lanes of a warp: the index of the thread."""
LANE = "lane"
"""The lane of the thread in a warp of 32."""
WARP = "warp"
"""The number of a warp of 32: the same in each half of a wavefront."""
WAVE_LANE = "lane of the wavefront"
WAVE = "wavefront"
"""The number of the wavefront."""
SET = "set"
"""A set of the wavefront's lanes."""

Kinds = frozenset[str]
VARYING: Kinds = frozenset((THREAD, LANE, WAVE_LANE))
NOTHING: Kinds = frozenset()

_NAME = regex(r"(?<![\w.>])(?!\d)\w+(?:\.[xyz]\b)?")
_OPERATOR = regex(r"(?<![&<>])(?:%|/|>>|&)(?![&=>])")

_Found = TypeVar("_Found")


class Assignment(msgspec.Struct, frozen=True):
    """`span` is what is assigned; `kinds` what it depends on."""

    offset: int
    kinds: Kinds
    span: Span


class Values:
    """The variables of one function."""

    def __init__(
        self,
        code: Code,
        rules: RuleSet,
        function: Function,
        calls: _Calls | None = None,
        returned: ReturnedValues | None = None,
        *,
        is_kept: bool = False,
    ) -> None:
        self.code = code
        self.rules = rules
        self.function = function
        self.words = rules.lanes
        self._calls = calls
        self.returned = returned
        self._is_kept = is_kept
        self._ends = _ends(rules)
        self._ways = Ways(self._ends)
        self._constants: dict[str, Kinds] = {}
        self._variables: dict[str, list[Assignment]] | None = None

    @property
    def variables(self) -> dict[str, list[Assignment]]:
        """The assignments to each; followed when the first is asked for, as few functions are."""
        if self._variables is None:
            self._follow_all()
        return self._variables or {}

    def _follow_all(self) -> None:
        place = Span(self.function.head.start, self.function.head.start)
        given = self._calls.given_to(self.function) if self._calls else {}
        parameters = {name: [Assignment(place.start, of, place)] for name, of in given.items()}
        self._follow(parameters)
        of_lambdas = self._of_lambdas()
        if of_lambdas:
            self._follow(parameters | of_lambdas)

    def _of_lambdas(self) -> dict[str, list[Assignment]]:
        """What calls of lambdas in the function give to their parameters."""
        found: dict[str, list[Assignment]] = {}
        for parameter, argument, at, end in self._given_to_lambdas():
            kinds = self.kinds(argument, at)
            found.setdefault(parameter, []).append(Assignment(end, kinds, Span(end, end)))
        return found

    def _given_to_lambdas(self) -> Iterator[tuple[str, str, int, int]]:
        """Each parameter and argument of such a call: its place, and that of the lambda's body."""
        made = {each.name: each for each in self.in_body(lambdas)}
        called = self.in_body(calls) if made else {}
        start = self.function.body.start
        for call, name in sorted((at, each) for each in made for at in called.get(each, ())):
            parameters = parameters_in(made[name].parameters)
            for parameter, argument in zip(parameters, self.arguments(call), strict=False):
                yield parameter.name, argument, start + call.start, start + made[name].end

    def in_body(self, find: Callable[[str], _Found]) -> _Found:
        """What a function finds in the text of the body alone."""
        return self.code.of_part(find, self.function.body)

    def arguments(self, call: Span) -> list[str]:
        """The arguments of a call in the body; none of one that is too long to be followed."""
        return arguments_of(self.code.code, self.function.body.start + call.end)

    def _follow(self, given: dict[str, list[Assignment]]) -> None:
        text, start = self.code.code, self.function.body.start
        variables = self._variables = {name: list(every) for name, every in given.items()}
        for each in self.in_body(assigned):
            at, span = start + each.start, Span(start + each.value.start, start + each.value.end)
            kinds = NOTHING
            if self.may_have_kind(each.words):
                kinds = self.kinds(text[slice(*span)], at)
            if each.is_changed:
                kinds |= self.of(each.name, at)
            every = variables.setdefault(each.name, [])
            insort(every, Assignment(at, kinds, span), key=lambda other: other.offset)

    @cached_property
    def _assigned(self) -> set[str]:
        """The variables that are assigned to, or given by calls."""
        names = {each.name for each in self.in_body(assigned)}
        given = [self.function.parameters] if self._calls else []
        given += [parameters_in(each.parameters) for each in self.in_body(lambdas)]
        return names.union(each.name for every in given for each in every)

    def may_have_kind(self, names: Iterable[str]) -> bool:
        """Whether an expression with these names may have a kind: most have no such name."""
        return self._ways.lead_there(names, self._stands_for)

    def _stands_for(self, name: str) -> Iterator[str]:
        yield from words_of_definitions(self.code).get(name, ())
        yield from self._words_given.get(name, ())
        if name in self._parameters_with_kind:
            yield from self._ends
        if self.returned:
            yield from self.returned.words.get(name, ())

    @cached_property
    def _words_given(self) -> dict[str, set[str]]:
        """Variable, or parameter of a lambda -> the names in all that the function gives it."""
        found: dict[str, set[str]] = {}
        for each in self.in_body(assigned):
            found.setdefault(each.name, set()).update(each.words)
        for parameter, argument, _, _ in self._given_to_lambdas():
            found.setdefault(parameter, set()).update(WORD.findall(argument))
        return found

    @cached_property
    def _parameters_with_kind(self) -> set[str]:
        """The parameters that calls may give something of a kind to."""
        return self._calls.parameters_with_kind(self.function) if self._calls else set()

    def last(self, name: str, offset: int) -> Assignment | None:
        """The assignment to a variable that is before an offset, if it has one of interest."""
        if self._variables is None and not (name.isidentifier() and name in self._assigned):
            return None
        every = self.variables.get(name, [])
        index = bisect_left(every, offset, key=lambda each: each.offset) - 1
        return every[index] if index >= 0 else None

    def of(self, name: str, offset: int) -> Kinds:
        last = self.last(name, offset)
        return last.kinds if last else NOTHING

    def kinds(self, text: str, offset: int) -> Kinds:
        """What the value of an expression at an offset depends on."""
        if len(text) > LONGEST_EXPRESSION or not self.may_have_kind(set(WORD.findall(text))):
            return NOTHING
        text, found = self._without_calls(text, offset)
        text = without_subscripts(text)
        if _OPERATOR.search(text):
            text, more = self._without_divisions(text, offset)
            found |= more
        for match in _NAME.finditer(text):
            found |= self._of_word(match[0], offset)
        if WARP in found and THREAD in found and self._takes_off_warps(text):
            return (found - {WARP, THREAD}) | {LANE}
        return found

    def _of_word(self, word: str, offset: int) -> Kinds:
        if word in self.words.thread:
            return frozenset((THREAD,))
        name = word.partition(".")[0]
        if not self.may_have_kind((name,)):
            return NOTHING
        if name in self.variables:
            return self.of(name, offset)
        # A macro, or a constant of the file.
        if name not in self._constants:
            self._constants[name] = NOTHING
            texts = definitions(self.code, self.rules, name)
            found = [self.kinds(each, offset) for each in texts]
            self._constants[name] = NOTHING.union(*found)
        return self._constants[name]

    def _without_calls(self, text: str, offset: int) -> tuple[str, Kinds]:
        found: Kinds = NOTHING
        at = 0
        while match := CALL.search(text, at):
            name, at = match[1], match.end()
            closed = closing_bracket(text, match.end() - 1)
            if closed is None or name in self.words.passing:
                continue
            stays = " " * (closed + 1 - match.start())
            if name in self.words.lane_functions:
                found |= {WAVE_LANE}
            elif name in self.words.set_functions:
                found |= {SET}
            elif self.returned and (kinds := self.returned.kinds(name)):
                if kinds == {THREAD}:
                    stays = min(self.words.thread)  # It may be divided.
                else:
                    found |= kinds
            text = text[: match.start()] + stays + text[closed + 1 :]
            at = match.start() + len(stays)
        return text, found

    def _without_divisions(self, text: str, offset: int) -> tuple[str, Kinds]:
        """The text without the parts that make a lane or a warp of a thread's index, and which."""
        found: Kinds = NOTHING
        at = 0
        while match := _OPERATOR.search(text, at):
            at = match.end()
            left = operand_before(text, match.start(), is_loose=match[0] == "&")
            right = operand_behind(text, match.end())
            by = text[slice(*right)]
            kind = self._made(match[0], text[slice(*left)], by, offset)
            if kind is None:
                continue
            found |= kind
            text = text[: left.start] + " " * (right.end - left.start) + text[right.end :]
            at = right.end
        return text, found

    def _made(self, mark: str, left: str, right: str, offset: int) -> Kinds | None:
        """What an operator makes of an index; None if it is nothing of a warp's."""
        if mark == "&" and number(self.code, self.rules, left) is not None:
            left, right = right, left
        of = self.kinds(left.strip(), offset)
        if THREAD not in of and WAVE_LANE not in of:
            return None
        lanes, bits = self.words.lanes, self.words.lane_bits
        by = self._number(right)
        if by is None:
            size = rf"\b(?:{'|'.join(self.words.warp_size)})\b"
            if not re.search(size, right):
                return None
            return of - {THREAD} | {WAVE if mark in ("/", ">>") else WAVE_LANE}
        if (mark == "%" and by == lanes) or (mark == "&" and by == lanes - 1):
            return of - {THREAD, WAVE_LANE} | {LANE}
        if mark == "&" and by and by % lanes == 0:
            return of - {THREAD, WAVE_LANE} | {WARP if by % (2 * lanes) else WAVE}
        if (mark == "/" and by == lanes) or (mark == ">>" and by == bits):
            return of - {THREAD, WAVE_LANE} | {WARP}
        if (mark == "%" and by == 2 * lanes) or (mark == "&" and by == 2 * lanes - 1):
            return of - {THREAD} | {WAVE_LANE}
        if (mark == "/" and by % (2 * lanes) == 0) or (mark == ">>" and by > bits):
            return of - {THREAD, WAVE_LANE} | {WAVE}
        return None

    def _number(self, text: str) -> int | None:
        """The number that an expression is, where a warp is kept with that of its lanes."""
        sizes = self.words.warp_size if self._is_kept else ()
        value = number(self.code, self.rules, text, dict.fromkeys(sizes, self.words.lanes))
        given = self.variables.get(text.strip(), ()) if value is None else ()
        if len(given) == 1 and given[0].span.start < given[0].span.end:
            text = self.code.code[slice(*given[0].span)]
            value = number(self.code, self.rules, text, dict.fromkeys(sizes, self.words.lanes))
        return value

    def _takes_off_warps(self, text: str) -> bool:
        """Whether a multiple of the lanes of a warp is subtracted."""
        of_warps = (self.words.lanes, self.words.lane_bits)
        behind = text.partition("-")[2]
        return any(self._number(each) in of_warps for each in re.findall(r"\w+", behind))


@lru_cache(maxsize=2)
def values(code: Code, rules: RuleSet, *, is_kept: bool = False) -> list[Values]:
    """The variables of each function that runs on the device, in order.

    Where warps are kept, the variable for their size is the number of their lanes.
    """
    every = functions(code, rules)
    calls = _Calls([Values(code, rules, each, is_kept=is_kept) for each in every])
    returned = ReturnedValues(code.code, every, calls.returned)
    for each in calls.callers:
        each.returned = returned
    return [
        Values(code, rules, each.function, calls, returned, is_kept=is_kept)
        for each in calls.callers
    ]


@lru_cache(maxsize=2)
def _ends(rules: RuleSet) -> frozenset[str]:
    """The names by which an expression has a kind in the end."""
    lanes = rules.lanes
    threads = (each.partition(".")[0] for each in lanes.thread)
    return lanes.lane_functions.union(lanes.set_functions, threads)


@lru_cache(maxsize=1)
def words_of_definitions(code: Code) -> dict[str, set[str]]:
    """Macro or constant -> the names in all of its texts."""
    own = every_definition(code).items()
    definitions = {name: [each.text for each in every] for name, every in own}
    return {
        name: {word for text in texts for word in WORD.findall(text)}
        for name, texts in {**code.constants, **definitions}.items()
    }


class _Calls:
    """The calls between functions; what a caller is given itself is not known."""

    def __init__(self, callers: list[Values]) -> None:
        self.callers = callers

    def given_to(self, function: Function) -> dict[str, Kinds]:
        """Parameter -> what the arguments of the function's calls depend on."""
        found: dict[str, Kinds] = {}
        for caller, call in self._by_name.get(function.name, ()):
            at = caller.function.body.start + call.start
            arguments = caller.arguments(call)
            for parameter, argument in zip(function.parameters, arguments, strict=False):
                kinds = caller.kinds(argument, at)
                found[parameter.name] = found.get(parameter.name, NOTHING) | kinds
        return found

    def returned(self, value: Returned) -> Kinds:
        """What the value that a function returns depends on."""
        callee = self.callers[value.function]
        return callee.kinds(callee.code.code[slice(*value.value)], value.value.start)

    def parameters_with_kind(self, function: Function) -> set[str]:
        """The parameters that may be given something of a kind."""
        found: set[str] = set()
        for caller, call in self._by_name.get(function.name, ()):
            arguments = caller.arguments(call)
            for parameter, argument in zip(function.parameters, arguments, strict=False):
                if caller.may_have_kind(WORD.findall(argument)):
                    found.add(parameter.name)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[Values, Span]]]:
        """Function -> each call: its caller, and its place in the body."""
        names = {each.function.name for each in self.callers}
        found: dict[str, list[tuple[Values, Span]]] = {}
        for caller in self.callers:
            called = caller.in_body(calls)
            for name in names & called.keys():
                found.setdefault(name, []).extend((caller, call) for call in called[name])
        return found
