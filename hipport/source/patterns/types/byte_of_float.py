"""Bytes made of numbers that may be negative, which are 0 on NVIDIA's GPUs alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import in_device_code
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.converted_values import value_cast, value_given_to
from hipport.source.names.number_types import DOUBLE, FLOAT, NumberTypes
from hipport.source.names.variables import variable
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences
from hipport.source.warps.ported_warps import is_hip

_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*\b(?!\s*\()")
_FRACTION = regex(r"[\d.]+(?:[eE][-+]?\d+)?[fF]?")
_REACH = 600
"""Characters before a cast in which a clamp of its number is looked for."""
_MOST = 50
"""Names of variables of bytes that are followed."""


class FixKeys(RuleKeys, frozen=True):
    bytes: Regex
    """How the type is written."""
    whole: str
    """The type of 32 bits by way of which both give the same."""
    same: str
    floats: str
    clamped: Regex
    tested: str
    """A test of the sign of a `{name}`."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Convert such numbers to unsigned integers first."""
    if unit.language != "cuda" or is_hip(unit.code, unit.rules):
        return
    keys = rule.read(FixKeys)
    grid = frozenset(unit.rules.device_code.variables)
    types = NumberTypes(unit.declarations, grid, keys.same, keys.floats)
    for value in _values(unit, keys):
        is_number = types.of(unit.declarations.node_at(value)) in (FLOAT, DOUBLE)
        if is_number and in_device_code(unit, value.start) and not _is_clamped(unit, keys, value):
            start, end = value
            is_closed = closing_bracket(unit.code.code, start) == end - 1
            opened = f"static_cast<{keys.whole}>" + "(" * (not is_closed)
            edits = [(Span(start, start), opened)]
            if not is_closed:
                edits.append((Span(end, end), ")"))
            rewrite(unit, "byte-of-float", edits, [value])


def _values(unit: Unit, keys: FixKeys) -> Iterator[Span]:
    """What is cast to a byte, or given to a variable or element of bytes."""
    code, declarations = unit.code, unit.declarations
    for match in code.finditer(rf"\(\s*({keys.bytes})\s*\)"):
        if value := value_cast(declarations, Span(*match.span(1))):
            yield value
    for match in code.finditer(rf"\bstatic_cast\s*<\s*{keys.bytes}\s*>"):
        call = parse_call(code, Span(*match.span()))
        yield from call.arguments if call and len(call.arguments) == 1 else ()
    declared = rf"\b{keys.bytes}\s*(?:\*\s*)?(?:__restrict__\s*)?(?P<name>[A-Za-z_]\w*)\s*[=,;)\[]"
    names = sorted({match["name"] for match in code.finditer(declared)})
    for name in names[:_MOST]:
        for at in occurrences(code.code, name):
            value = value_given_to(declarations, Span(at, at + len(name)))
            if value and _is_of_bytes(unit, keys, name, at):
                yield value


def _is_of_bytes(unit: Unit, keys: FixKeys, name: str, offset: int) -> bool:
    found = variable(unit.declarations, name, offset)
    return found is not None and bool(re.fullmatch(keys.bytes, found.type.rstrip("*[]")))


def _is_clamped(unit: Unit, keys: FixKeys, value: Span) -> bool:
    """Whether the number is a constant, or what is before it says that it is not negative."""
    text = unit.code.code
    written = text[slice(*value)]
    if re.search(keys.clamped, written) or _FRACTION.fullmatch(written.strip("() ")):
        return True
    before = text[max(0, value.start - _REACH) : value.start]
    for name in {match[0] for match in _NAME.finditer(written)}:
        given = re.findall(rf"\b{name}\s*=(?!=)([^;]*);", before)
        if given and re.search(keys.clamped, given[-1]):
            return True
        if re.search(keys.tested.replace("{name}", name), before):
            return True
    return False
