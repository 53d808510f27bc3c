"""Blocks that arrange data by whole wavefronts, of sizes that templates of the file are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import arguments_in
from hipport.source.names.constants import definitions_in_file, number
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_brace, closing_bracket, occurrences, skip
from hipport.source.text.source_text import Code

_TEMPLATE = regex(r"\btemplate\s*(?=<)")
_CLASS = regex(r"\s*(?:struct|class)\s+(?:alignas\s*\([^()]*\)\s*)?(?P<name>\w+)")
_CALLED = regex(r"\b(?P<name>[A-Za-z_]\w*)\s*\(")
_NAMED = regex(r"(?P<name>[A-Za-z_]\w*)\s*(?:=\s*(?P<default>.*))?\Z", re.DOTALL)
_NAME = regex(r"(?<![\w.:>])[A-Za-z_]\w*\b(?!\s*(?:::|\())")
_BODY = regex(r"[{;]")
_ANGLE = regex(r"[<>(){};]")
_REACH = 2_000
_STEPS = 6
_MOST_THREADS = 1024


class Keys(RuleKeys, frozen=True):
    blocks: Regex
    """A class of a block, up to the bracket before its arguments."""
    algorithms: Regex
    """Of its arguments, an algorithm that goes by wavefronts."""
    threads: int
    """The place of the threads among them, and `algorithm` that of the algorithm, the last one."""
    algorithm: int
    wavefront: int


class _Template(NamedTuple):
    """A template of the file: its parameters with their defaults, and where it is declared."""

    name: str
    parameters: dict[str, str]
    scope: Span


class _Place(NamedTuple):
    """Where arguments are given, and how many threads they lead to as an expression there."""

    span: Span
    threads: str


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each block of a size that is no multiple of the wavefront, where it is given."""
    keys, text, seen = rule.read(Keys), unit.code.code, set()
    for match in unit.code.finditer(keys.blocks):
        opened = match.end() - 1
        closed = _angle_closed(text, opened)
        given = arguments_in(text[opened + 1 : closed]) if closed else []
        if len(given) != keys.algorithm + 1:
            continue
        algorithm = re.fullmatch(keys.algorithms, given[keys.algorithm].strip())
        if algorithm is None:
            continue
        first = _Place(Span(match.start(), opened), given[keys.threads])
        for span, threads in _sizes(unit, first):
            is_wrong = 0 < threads <= _MOST_THREADS and threads % keys.wavefront
            if is_wrong and span not in seen and counts(unit, rule, span.start):
                seen.add(span)
                words = {"threads": str(threads), "algorithm": algorithm["name"]}
                unit.report(rule.id, span, " ".join(unit.code.slice(span).split()), words)


def _sizes(unit: Unit, first: _Place) -> Iterator[tuple[Span, int]]:
    """The numbers that an expression has, each with the place that gives it."""
    places, seen = [first], {first}
    for _ in range(_STEPS):
        coming: list[_Place] = []
        for place in places:
            threads = _resolved(unit, place)
            value = number(unit.code, unit.rules, threads)
            template = None if value is not None else _around(unit.code, place.span.start, threads)
            if value is not None:
                yield place.span, value
            elif template:
                coming += _given_to(unit.code, template, threads)
        places = [each for each in coming if each not in seen]
        seen.update(places)


def _resolved(unit: Unit, place: _Place) -> str:
    """An expression with what the templates around it name so in place of constants."""
    threads = place.threads
    around = [each for each in _templates(unit.code) if _holds(each.scope, place.span.start)]
    parameters = {name for each in around for name in each.parameters}
    for _ in range(_STEPS):
        text = threads
        for name in set(_NAME.findall(threads)) - parameters:
            given = [
                each.text
                for each in definitions_in_file(unit.code, name)
                if any(_holds(template.scope, each.offset) for template in around)
            ]
            if len(given) == 1:
                text = _NAME.sub(partial(_filled, {name: given[0]}), text)
        if text == threads or len(text) > _REACH:
            break
        threads = text
    return threads


def _around(code: Code, offset: int, expression: str) -> _Template | None:
    """The template around an offset whose parameters an expression names."""
    names = set(_NAME.findall(expression))
    holding = [each for each in _templates(code) if _holds(each.scope, offset)]
    named = [each for each in holding if not names.isdisjoint(each.parameters)]
    return named[-1] if named else None


def _given_to(code: Code, template: _Template, expression: str) -> Iterator[_Place]:
    """Where the file gives a template its arguments, and what an expression in it is with them."""
    text = code.code
    for at in occurrences(text, template.name):
        opened = skip(text, at + len(template.name))
        closed = _angle_closed(text, opened) if text.startswith("<", opened) else None
        if closed is None:
            continue
        given = arguments_in(text[opened + 1 : closed])
        bound = dict(template.parameters)
        bound.update(zip(template.parameters, given, strict=False))
        threads = _NAME.sub(partial(_filled, bound), expression)
        yield _Place(Span(at, closed + 1), threads)


def _filled(values: dict[str, str], name: re.Match[str]) -> str:
    """What an expression has in place of a name."""
    value = values.get(name[0])
    return f"({value})" if value else name[0]


@lru_cache(maxsize=2)
def _templates(code: Code) -> list[_Template]:
    """The templates of a file, outer ones before those in them."""
    text, found = code.code, []
    for match in _TEMPLATE.finditer(text):
        closed = _angle_closed(text, match.end())
        if closed is None:
            continue
        body = _BODY.search(text, closed)
        name = _declared(text[closed + 1 : body.start()]) if body else ""
        end = closing_brace(text, body.start()) if body and body[0] == "{" else None
        if not name or end is None:
            continue
        written = (_NAMED.search(each) for each in arguments_in(text[match.end() + 1 : closed]))
        parameters = {each["name"]: each["default"] or "" for each in written if each}
        found.append(_Template(name, parameters, Span(match.start(), end)))
    return found


def _declared(head: str) -> str:
    """The class or function that a template declares."""
    if of_class := _CLASS.match(head):
        return of_class["name"]
    return next((each["name"] for each in _CALLED.finditer(head) if each["name"][:2] != "__"), "")


def _angle_closed(text: str, opened: int) -> int | None:
    """The `>` that closes a list of arguments; None if there is none nearby."""
    depth, end = 0, 0
    for match in _ANGLE.finditer(text, opened, opened + _REACH):
        if match.start() < end:
            continue
        if match[0] == "(":
            end = closing_bracket(text, match.start()) or len(text)
        elif match[0] in "{};)":
            return None
        else:
            depth += 1 if match[0] == "<" else -1
            if depth == 0:
                return match.start()
    return None


def _holds(span: Span, offset: int) -> bool:
    return span.start <= offset < span.end
