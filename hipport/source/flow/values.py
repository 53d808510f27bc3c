"""What an expression's value depends on: the thread, its lane, its warp.

Assignments of a function are followed in their order; arguments are followed to the parameters of
functions and lambdas of the same file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from functools import cached_property, lru_cache
from typing import NamedTuple

from hipport.model import Span
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.device_functions import (
    Function,
    arguments_in,
    functions,
    parameters_in,
)
from hipport.source.flow.operands import (
    LONGEST_EXPRESSION,
    expression_at,
    operand_before,
    operand_behind,
    without_subscripts,
)
from hipport.source.names.constants import definitions, every_definition, number
from hipport.source.text.brackets import closing_bracket, occurrences
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

_ASSIGNED = re.compile(
    r"(?<![\w.>\])])(?P<name>[A-Za-z_]\w*)\s*"
    r"(?P<mark>[-+*/%&|^]|<<|>>)?=(?!=)"
)
_INITIALISED = re.compile(
    r"\b(?:int|unsigned|auto|long|short|const|size_t|uint|u?int\d+_t)\s+(?P<name>[A-Za-z_]\w*)\s*[({]"
)
_LAMBDA = re.compile(r"\b(\w+)\s*=\s*\[[^\[\]]*\]\s*(?:__\w+__\s*)*\(([^()]*)\)")
_CALL = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*(?:<[\w\s,:*]*>\s*)?\(")
_NAME = re.compile(r"(?<![\w.>])(?!\d)\w+(?:\.[xyz]\b)?")
_OPERATOR = re.compile(r"(?<![&<>])(?:%|/|>>|&)(?![&=>])")
_WORD = re.compile(r"\b[A-Za-z_]\w*")


class Assignment(NamedTuple):
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
        telling: frozenset[str],
        calls: _Calls | None = None,
    ) -> None:
        self.code = code
        self.rules = rules
        self.function = function
        self.words = rules.lanes
        self._calls = calls
        self._telling = telling
        """Names that an expression may have a kind by, besides those of variables."""
        self._constants: dict[str, Kinds] = {}
        self._variables: dict[str, list[Assignment]] | None = None
        self._telling_variables: set[str] = set()

    @property
    def variables(self) -> dict[str, list[Assignment]]:
        """The assignments to each; followed when the first is asked for, as few functions are."""
        if self._variables is None:
            self._follow_all()
        return self._variables or {}

    def _follow_all(self) -> None:
        place = Span(self.function.head.start, self.function.head.start)
        given = self._calls.arguments_of(self.function) if self._calls else {}
        parameters = {name: [Assignment(place.start, of, place)] for name, of in given.items()}
        self._follow(parameters)
        of_lambdas = self._of_lambdas()
        if of_lambdas:
            self._follow(parameters | of_lambdas)

    def _of_lambdas(self) -> dict[str, list[Assignment]]:
        """What calls of lambdas in the function give to their parameters."""
        text, body = self.code.code, self.function.body
        found: dict[str, list[Assignment]] = {}
        lambdas = {match[1]: match for match in _LAMBDA.finditer(text, *body)}
        for call in _CALL.finditer(text, *body) if lambdas else ():
            closed = closing_bracket(text, call.end() - 1) if call[1] in lambdas else None
            if closed is None or closed - call.end() > LONGEST_EXPRESSION:
                continue
            made = lambdas[call[1]]
            arguments = arguments_in(text[call.end() : closed])
            for parameter, argument in zip(parameters_in(made[2]), arguments, strict=False):
                kinds = self.kinds(argument, call.start())
                place = Span(made.end(), made.end())
                found.setdefault(parameter.name, []).append(Assignment(made.end(), kinds, place))
        return found

    def _follow(self, given: dict[str, list[Assignment]]) -> None:
        text, body = self.code.code, self.function.body
        variables = self._variables = {name: list(every) for name, every in given.items()}
        self._telling_variables = {
            name for name, every in given.items() if any(each.kinds for each in every)
        }
        for match in self._assigning:
            span = expression_at(text, match.end(), body.end)
            kinds = self.kinds(text[slice(*span)], match.start())
            name = match["name"]
            if match.re is _ASSIGNED and match["mark"]:
                kinds |= self.of(name, match.start())
            if kinds:
                self._telling_variables.add(name)
            each = Assignment(match.start(), kinds, span)
            insort(variables.setdefault(name, []), each, key=lambda other: other.offset)

    @cached_property
    def _assigning(self) -> list[re.Match[str]]:
        """What assigns to a variable, in order."""
        text, body = self.code.code, self.function.body
        found = [*_ASSIGNED.finditer(text, *body), *_INITIALISED.finditer(text, *body)]
        return sorted(found, key=lambda each: each.start())

    @cached_property
    def _assigned(self) -> set[str]:
        """The variables that are assigned to, or given by calls."""
        names = {match["name"] for match in self._assigning}
        given = [self.function.parameters] if self._calls else []
        lambdas = _LAMBDA.finditer(self.code.code, *self.function.body)
        given += [parameters_in(each[2]) for each in lambdas]
        return names.union(each.name for every in given for each in every)

    def _may_tell(self, text: str) -> bool:
        """Whether an expression has a name that tells something: most have none."""
        names = set(_WORD.findall(text))
        if not names.isdisjoint(self._telling):
            return True
        if self._variables is None and not names.isdisjoint(self._assigned):
            self._follow_all()
        return not names.isdisjoint(self._telling_variables)

    def last(self, name: str, offset: int) -> Assignment | None:
        """The assignment to a variable that is before an offset, if it has one of interest."""
        if self._variables is None and name not in self._assigned:
            return None
        every = self.variables.get(name, [])
        index = bisect_left(every, offset, key=lambda each: each.offset) - 1
        return every[index] if index >= 0 else None

    def of(self, name: str, offset: int) -> Kinds:
        last = self.last(name, offset)
        return last.kinds if last else NOTHING

    def kinds(self, text: str, offset: int) -> Kinds:
        """What the value of an expression at an offset depends on."""
        if len(text) > LONGEST_EXPRESSION or not self._may_tell(text):
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
        while match := _CALL.search(text, at):
            name, at = match[1], match.end()
            closed = closing_bracket(text, match.end() - 1)
            if closed is None or name in self.words.passing:
                continue
            if name in self.words.lane_functions:
                found |= {WAVE_LANE}
            elif name in self.words.set_functions:
                found |= {SET}
            text = text[: match.start()] + " " * (closed + 1 - match.start()) + text[closed + 1 :]
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
        by = number(self.code, self.rules, right)
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

    def _takes_off_warps(self, text: str) -> bool:
        """Whether a multiple of the lanes of a warp is subtracted."""
        behind = text.partition("-")[2]
        return any(
            number(self.code, self.rules, each) in (self.words.lanes, self.words.lane_bits)
            for each in re.findall(r"\w+", behind)
        )


@lru_cache(maxsize=2)
def values(code: Code, rules: RuleSet) -> list[Values]:
    """The variables of each function that runs on the device, in order."""
    telling = _telling(code, rules)
    calls = _Calls([Values(code, rules, each, telling) for each in functions(code, rules)])
    return [Values(code, rules, each.function, telling, calls) for each in calls.callers]


def with_sets(code: Code, rules: RuleSet) -> list[Values]:
    """Those that may use a set of lanes: they, or their callers, name what makes one."""
    words, makers = _words_of_definitions(code), rules.lanes.set_functions
    while more := {name for name in words.keys() - makers if not makers.isdisjoint(words[name])}:
        makers |= more
    places = [at for name in makers & code.words for at in occurrences(code.code, name)]
    every = values(code, rules) if places else []
    naming = [
        each
        for each in every
        if any(each.function.body.start <= at < each.function.body.end for at in places)
    ]
    called = {name for each in naming for name in _WORD.findall(code.code, *each.function.body)}
    return [each for each in every if each in naming or each.function.name in called]


def _telling(code: Code, rules: RuleSet) -> frozenset[str]:
    """The names, other than of variables, by which an expression may have a kind.

    A macro or a constant of numbers alone is none.
    """
    words = _words_of_definitions(code)
    dull: set[str] = set()
    while more := {name for name in words.keys() - dull if words[name] <= dull}:
        dull |= more
    lanes = rules.lanes
    threads = (each.partition(".")[0] for each in lanes.thread)
    functions = lanes.lane_functions | lanes.set_functions
    return functions.union(threads, words.keys() - dull)


@lru_cache(maxsize=1)
def _words_of_definitions(code: Code) -> dict[str, set[str]]:
    """Macro or constant -> the names in all of its texts."""
    own = every_definition(code).items()
    definitions = {name: [each.text for each in every] for name, every in own}
    return {
        name: {word for text in texts for word in _WORD.findall(text)}
        for name, texts in {**code.constants, **definitions}.items()
    }


class _Calls:
    """The calls between functions; what a caller is given itself is not known."""

    def __init__(self, callers: list[Values]) -> None:
        self.callers = callers

    def arguments_of(self, function: Function) -> dict[str, Kinds]:
        """Parameter -> what the arguments of the function's calls depend on."""
        found: dict[str, Kinds] = {}
        for caller, call, closed in self._by_name.get(function.name, ()):
            arguments = arguments_in(caller.code.code[call.end : closed])
            for parameter, argument in zip(function.parameters, arguments, strict=False):
                kinds = caller.kinds(argument, call.start)
                found[parameter.name] = found.get(parameter.name, NOTHING) | kinds
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[Values, Span, int]]]:
        """Function -> each call: its caller, its name with the opening parenthesis, its end."""
        names = {each.function.name for each in self.callers}
        found: dict[str, list[tuple[Values, Span, int]]] = {}
        for caller in self.callers:
            text = caller.code.code
            for match in _CALL.finditer(text, *caller.function.body):
                closed = closing_bracket(text, match.end() - 1) if match[1] in names else None
                if closed is not None and closed - match.end() <= LONGEST_EXPRESSION:
                    found.setdefault(match[1], []).append((caller, Span(*match.span()), closed))
        return found
