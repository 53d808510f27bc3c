"""Integer operators on what is an integer in CUDA and a pointer in HIP, such as CUdeviceptr."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import (
    certain_variables,
    name_in,
    type_like,
    variables_of,
)
from hipport.source.names.values_of_type import is_value_of, value_named
from hipport.source.names.variables import span_of, variable
from hipport.source.names.wanted_types import wanted_of
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, skip_back, word_before
from hipport.source.text.quick_search import matches

if TYPE_CHECKING:
    from hipport.source.languages.cuda_syntax import Node

_OPERATOR = r"(?:[%^]=?|\|(?!\|)=?|<<|>>|&(?!&)=?)"
# Adding to a `void *` is an extension in C, which counts in bytes; for clang it is an error in C++,
# as is asking whether a pointer is more than 0, or -1.
_ADDITIVE = (
    r"|\+\+|--|(?:\+|-(?!>))=?|[<>]=?(?=\s*0[uUlL]*\s*[);&|?])|[=!]=(?=\s*-\s*\d)"
    r"|[<>]=?(?=\s*-\s*\d)"
)
_INDEX = r"\s*\[[^][;{}]*\]"
_SHIFTS = ("<<", ">>")
_CALCULATING = frozenset("~ + - * / % & | ^ << >> += -= *= /= %= &= |= ^= <<= >>=".split())
_BEFORE = "(,=;{?:["
_ENDS = ",;)]"
_LOWER = "<>=?:&|^{}"
_LONGEST = 400
_FINDING = "HP-TYPE-009"


class Keys(RuleKeys, frozen=True):
    containers: Regex = Regex("")
    """The types of containers of such values, which are no arrays."""


class FixKeys(RuleKeys, frozen=True):
    opening: str
    as_integer: str
    """What makes a sum an integer, where one is wanted."""
    integers: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each line that applies an integer operator to a value of the type."""
    text = unit.code.code
    names = _names(unit, rule)
    operator = _OPERATOR if unit.language == "c" else f"(?:{_OPERATOR}{_ADDITIVE})"
    cast = rf"\(\s*(?:{'|'.join(sorted(rule.names))})\s*\)\s*[\w.]+\s*\)*"
    indexed = [name_in(each) + _INDEX for each in names]
    alternatives = "|".join([*(rf"(?<!\w){each}" for each in (*indexed, *names)), cast])
    shape = rf"(?P<name>{alternatives})\s*(?P<operator>{operator})"
    lines: set[int] = set()
    for match in matches(shape, text):
        line = unit.code.position(match.start()).line
        operand = skip(text, match.end())
        is_step = match["operator"] in ("++", "--")
        if line in lines or (
            not is_step and text[operand : operand + 1] in (";", ")", ",", match["operator"][0])
        ):
            continue
        span = _operand(unit, rule, match)
        if span and unit.code.directive_at(span.start) is None and counts(unit, rule, span.start):
            lines.add(line)
            symbol = " ".join(unit.code.slice(Span(span.start, match.end())).split())
            name = " ".join(unit.code.slice(span).split())
            unit.report(rule.id, span, symbol, {"name": name})
    for span, whole in _elements(unit, rule, operator):
        line = unit.code.position(span.start).line
        if line not in lines and counts(unit, rule, span.start):
            lines.add(line)
            symbol, name = (" ".join(unit.code.slice(each).split()) for each in (whole, span))
            unit.report(rule.id, span, symbol, {"name": name})


def _elements(unit: Unit, rule: FindingRule, operator: str) -> Iterator[tuple[Span, Span]]:
    """Each element of a container that an operator is applied to, and both together."""
    containers = rule.read(Keys).containers
    types = "|".join(sorted(rule.names))
    if not containers or not unit.code.matches(rf"<[^<>;{{}}()]*\b(?:{types})\s*[,>]"):
        return
    shape = rf"(?<!\w)(?P<name>[A-Za-z_]\w*){_INDEX}\s*(?P<operator>{operator})"
    for match in matches(shape, unit.code.code):
        name, at = match["name"], match.start("name")
        # `out << blocks[i] << 4` shows it.
        if match["operator"] in _SHIFTS or unit.code.directive_at(at):
            continue
        if type_like(unit.declarations, name, at, containers):
            yield Span(at, skip_back(unit.code.code, match.start("operator"))), Span(*match.span())


def _operand(unit: Unit, rule: FindingRule, match: re.Match[str]) -> Span | None:
    """What the operator is applied to, if that is an address."""
    text, span = unit.code.code, Span(*match.span("name"))
    name, is_sum = name_in(match["name"]), match["operator"][0] in "+-"
    if match["name"].startswith("("):
        is_cast = text.endswith(")", 0, skip_back(text, span.start))
        return None if is_sum and is_cast else span
    is_indexed = match["name"].endswith("]")
    if is_indexed or _is_member(text, span):
        value = _whole(unit, match)
        is_address = value and is_value_of(unit.declarations, value, rule.names) is not False
        if value is None or not is_address:
            return None
        span = span_of(value)
    else:
        found = variable(unit.declarations, name, span.end - len(name))
        if found and found.type.removeprefix("const ").rstrip("*[]") not in rule.names:
            return None
        only = [match["name"]]
        if is_sum and not (found or certain_variables(unit.declarations, rule.names, only)):
            return None
        node = unit.declarations.node_at(Span(span.end - len(name), span.end))
        if node and node.parent and node.parent.type == "cast_expression":
            return None
    # What is shifted in `out << p << 4` is before the address.
    is_shifted = match["operator"] in _SHIFTS
    return None if is_shifted and text.endswith(_SHIFTS, 0, skip_back(text, span.start)) else span


def _is_member(text: str, name: Span) -> bool:
    return text.endswith((".", "->"), 0, skip_back(text, name.start))


def _whole(unit: Unit, match: re.Match[str]) -> Node | None:
    """The member or element that the end of a match names."""
    name = re.match(r"\w+", match["name"])
    if name is None:
        return None
    start = match.start("name")
    value = value_named(unit.declarations, Span(start, start + name.end()))
    return value if value and value.end_byte == match.end("name") else None


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Calculate in integers, and cast back, where a sum is the whole of an argument or a value."""
    finding = unit.rules.findings[_FINDING]
    text, keys = unit.code.code, rule.read(FixKeys)
    every = _names(unit, finding)
    if unit.language == "c" or not every:
        return
    certain = set(map(name_in, certain_variables(unit.declarations, finding.names, every)))
    named = "|".join([*(name_in(each) + _INDEX for each in every), *every])
    for match in matches(rf"(?<!\w)(?P<name>{named})\s*[-+](?![-+=>])", text):
        span = _certain_operand(unit, match, finding.names, certain)
        if span is None or unit.code.directive_at(span.start):
            continue  # There it may be a macro's parameter.
        last = skip_back(text, span.start)
        word = text[slice(*word_before(text, span.start))]
        end = _sum_end(text, match.end())
        if not ((text[max(0, last - 1) : last] in _BEFORE or word == "return") and end):
            continue
        if re.search(rf"(?<!\w)(?:{'|'.join(map(name_in, every))})\b", text[match.end() : end]):
            continue  # The difference of two addresses is no address.
        node = unit.declarations.node_at(Span(span.start, end))
        if node and _is_operand(node):
            continue
        wanted = wanted_of(unit.declarations, node) if node else ""
        is_integer = re.fullmatch(f"(?:std::)?{keys.integers}", wanted)
        opening, closing = (keys.as_integer, "") if is_integer else (keys.opening, ")")
        edits = [(Span(span.start, span.start), opening), (Span(end, end), closing)]
        rewrite(unit, "device-address", edits if closing else edits[:1], [span])


def _is_operand(total: Node) -> bool:
    """Whether more is calculated with a sum: a pointer in its place would not compile either."""
    place = total.parent
    while place and place.type == "parenthesized_expression":
        place = place.parent
    operator = place.child_by_field_name("operator") if place else None
    text = (operator.text or b"").decode("latin-1") if operator else ""
    return text in _CALCULATING


def _certain_operand(
    unit: Unit, match: re.Match[str], types: frozenset[str], certain: set[str]
) -> Span | None:
    span = Span(*match.span("name"))
    if not match["name"].endswith("]") and not _is_member(unit.code.code, span):
        return span if name_in(match["name"]) in certain else None
    value = _whole(unit, match)
    return span_of(value) if value and is_value_of(unit.declarations, value, types) else None


def _names(unit: Unit, rule: FindingRule) -> list[str]:
    """Patterns of the expressions that name a variable of the type, or what one points to."""
    return variables_of(unit.declarations, (use.span for use in unit.of(rule.names)))


def _sum_end(text: str, start: int) -> int | None:
    """Where a sum ends; None where an operator that binds less follows in its brackets."""
    depth = 0
    for at in range(start, min(len(text), start + _LONGEST)):
        char = text[at]
        if depth == 0 and char in _ENDS:
            return skip_back(text, at)
        depth += (char in "([") - (char in ")]")
        if depth == 0 and char in _LOWER:
            return None
    return None
