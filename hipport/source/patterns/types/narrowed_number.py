"""Numbers in braces that are for narrower ones: an error for clang, of which nvcc only warns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.braced_values import value_braces, values_in
from hipport.source.flow.device_code import in_device_code
from hipport.source.names.constants import number
from hipport.source.names.number_types import (
    DOUBLE,
    FLOAT,
    UNSIGNED,
    NumberTypes,
    spelled,
    text_of,
)
from hipport.source.names.variables import (
    Variable,
    is_of_template,
    variable,
    variables_declared_by,
    words_behind_type,
)
from hipport.source.names.wanted_types import members_of, wanted_of
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_brace, occurrences, skip, skip_back, word_before
from hipport.source.text.quick_search import places
from hipport.source.warps.ported_warps import is_hip

_NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*")
_CONSTANT = regex(r"[A-Z][A-Z\d_]*")
_FRACTION = regex(r"[-+]?\s*[\d.][\d'.]*(?:[eE][-+]?\d+)?[fFlL]?")
_CLASS = r"\b(?:struct|class)\s+(?:\w+\s*\([^()]*\)\s*)?([A-Za-z_]\w*)"
_BEFORE_VALUES = ("(", ",", "=")
_RETURN = "return"
_NAMED = frozenset(("compound_literal_expression", "new_expression"))
_DEFINING = frozenset(("struct", "class", "union", "enum", "namespace"))
_PLACES = _NAMED | {"return_statement", "argument_list", "assignment_expression"}
_PART_OF_TYPE = regex(r"\s+(?:int|long|const|char|short)\b")
_BEFORE_TYPE = frozenset(("", "const", "constexpr", "static", "volatile"))
_BEHIND_CLASS = ("{", ":", "final", "#")
"""What follows the name of a class in its definition: members, bases, a directive among them."""
_BITS = {"bool": 1, "char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}
_UNSIGNED = "unsigned "

_Edits = list[tuple[Span, str]]


class FixKeys(RuleKeys, frozen=True):
    declared: Regex
    """A declaration with its `type`, up to the brace of its value."""
    assigned: Regex
    """An assignment to a `name`, up to the brace that is `opened`."""
    dimension: str
    """The type of a grid's dimensions, whose numbers are unsigned."""
    same: Regex
    floats: Regex


class _Element(NamedTuple):
    span: Span
    wanted: str
    """The type of what it initializes, as written."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Cast such numbers, and put those of dimensions into parentheses."""
    keys = rule.read(FixKeys)
    if is_hip(unit.code, unit.rules):
        return
    grid = frozenset(unit.rules.device_code.variables)
    types = NumberTypes(unit.declarations, grid, keys.same, keys.floats)
    _fix_assignments(unit, types, keys)
    for place in _places(unit, keys):
        for found in variables_declared_by(unit.declarations, place):
            value = found.value
            if value is None or not unit.code.code.startswith("{", value.start):
                continue
            if found.type != keys.dimension:
                _fix_numbers(unit, types, found.type, value)
            elif unit.language == "cuda" or unit.uses:
                _fix_variable(unit, types, found, value)
    _fix_values(unit, types, keys)


def _places(unit: Unit, keys: FixKeys) -> Iterator[Span]:
    """The types of declarations whose braces hold a name: constants are converted by value."""
    text = unit.code.code
    for match in _before_braces(text, keys.declared):
        closed = closing_brace(text, match.end() - 1)
        is_directive = unit.code.directive_at(match.start())
        has_name = closed and not is_directive and _NAME.search(text, match.end(), closed)
        if has_name and not _is_unknown(text, match):
            yield Span(*match.span("type"))


def _is_unknown(text: str, declared: re.Match[str]) -> bool:
    """Whether a variable is certainly of a class that the file does not define: it need not be
    parsed for that, as nothing is known of such a class's members."""
    kind = declared["type"]
    before = text[slice(*word_before(text, declared.start("type")))]
    is_class = kind[0].isupper() and before in _BEFORE_TYPE
    if not is_class or _PART_OF_TYPE.match(text, declared.end("type")):
        return False
    ends = (skip(text, at + len(kind)) for at in occurrences(text, kind))
    return not any(text.startswith(_BEHIND_CLASS, end) for end in ends)


def _before_braces(text: str, shape: str) -> Iterator[re.Match[str]]:
    """Where a shape that ends with the brace of a value is."""
    pattern = re.compile(shape)
    for before, at in value_braces(text):
        start = max(text.rfind(mark, 0, before) for mark in ";{}") + 1
        found = [*pattern.finditer(text, start, at + 1)]
        if found and found[-1].end() == at + 1:
            yield found[-1]


def _fix_assignments(unit: Unit, types: NumberTypes, keys: FixKeys) -> None:
    """The same for dimensions that are given later."""
    if keys.dimension not in unit.code.words:
        return
    names = words_behind_type(unit.code, keys.dimension)
    every = _before_braces(unit.code.code, keys.assigned) if names else ()
    for match in [each for each in every if each["name"] in names]:
        closed = closing_brace(unit.code.code, match.start("opened"))
        found = variable(unit.declarations, match["name"], match.start()) if closed else None
        is_later = found is not None and found.name.start != match.start()
        if closed and found and is_later and found.type == keys.dimension:
            _fix_variable(unit, types, found, Span(match.start("opened"), closed + 1))


def _fix_values(unit: Unit, types: NumberTypes, keys: FixKeys) -> None:
    """The same for braces that are returned, passed, assigned, or behind the name of a type."""
    for braces in _loose_braces(unit, keys):
        node = unit.declarations.node_at(braces)
        place = node.parent if node and node.type == "initializer_list" else None
        if node is None or place is None or place.type not in _PLACES:
            continue
        named = place.child_by_field_name("type")
        is_named = named is not None and place.type in _NAMED
        kind = text_of(named) if named and is_named else wanted_of(unit.declarations, node)
        kind = kind.removeprefix("const ").removesuffix("&").strip()
        if kind == keys.dimension:
            _fix_dimensions(unit, types, kind, braces, "(" if is_named else f"{kind}(")
        else:
            _fix_numbers(unit, types, kind, braces)


def _loose_braces(unit: Unit, keys: FixKeys) -> Iterator[Span]:
    """Braces with names that are no value of a variable, where the file has a type to put there."""
    text = unit.code.code
    classes = {match[1] for match in unit.code.finditer(_CLASS)}
    if keys.dimension in unit.code.words:
        classes.add(keys.dimension)
    for brace in places(("{",), text) if classes else ():
        end = skip_back(text, brace)
        word = word_before(text, end) if text[end - 1 : end] not in _BEFORE_VALUES else None
        if word is not None and text[slice(*word)] not in (*classes, _RETURN):
            continue
        if word is not None and text[slice(*word_before(text, word.start))] in _DEFINING:
            continue
        closed = closing_brace(text, brace)
        if closed and _NAME.search(text, brace, closed) and not unit.code.directive_at(brace):
            yield Span(brace, closed + 1)


def _fix_variable(unit: Unit, types: NumberTypes, found: Variable, value: Span) -> None:
    text = unit.code.code
    is_assigned = text.startswith("=", skip_back(text, value.start) - 1)
    opened = f"{found.type}(" if is_assigned else f" = {found.type}("
    _fix_dimensions(unit, types, found.type, value, opened)


def _fix_dimensions(unit: Unit, types: NumberTypes, kind: str, value: Span, opened: str) -> None:
    """Put the dimensions of a grid into parentheses, which are `opened` so."""
    elements = list(values_in(unit.code.code, value))
    kinds = [_kind(unit, types, each) for each in elements]
    is_copy = len(elements) == 1 and not kinds[0]
    if is_copy or len(elements) > len("xyz"):
        return
    if not any(kind is not None and _narrows(kind or DOUBLE, UNSIGNED) for kind in kinds):
        return
    if members_of(unit.declarations, kind):
        return  # The file's own, which may have no constructor.
    edits = [(Span(value.start, value.start + 1), opened), (Span(value.end - 1, value.end), ")")]
    rewrite(unit, "narrowed-dimension", edits, [value])


def _fix_numbers(unit: Unit, types: NumberTypes, own: str, value: Span) -> None:
    """Cast the numbers in the braces of a value of a type."""
    if unit.language != "cuda" and not in_device_code(unit, value.start):
        return
    edits: _Edits = []
    for element in _elements(unit, own, value):
        kind = _kind(unit, types, element.span)
        if kind and _narrows(kind, spelled(element.wanted)):
            start, end = element.span
            edits += [
                (Span(start, start), f"static_cast<{element.wanted}>("),
                (Span(end, end), ")"),
            ]
    if edits:
        rewrite(unit, "narrowed-number", edits, [value])


def _elements(unit: Unit, kind: str, braces: Span) -> Iterator[_Element]:
    """The numbers in the braces of a variable of a type, with those of its parts."""
    kind = kind.removeprefix("const ")
    values = list(values_in(unit.code.code, braces))
    inner = kind.removesuffix("[]")
    members = members_of(unit.declarations, kind) if kind.isidentifier() else []
    if any(each.type.endswith("[]") for each in members):
        return  # Its numbers may have no braces of their own.
    of_values = [each.type for each in members] if members else [inner] * len(values)
    for each, wanted in zip(values, of_values, strict=False):
        if unit.code.code.startswith("{", each.start):
            yield from _elements(unit, wanted, each)
        else:
            yield _Element(each, wanted.removeprefix("const "))


def _kind(unit: Unit, types: NumberTypes, span: Span) -> str | None:
    """The type of a number; "" where the file does not show it, None of a constant."""
    text = unit.code.code[slice(*span)]
    if number(unit.code, unit.rules, text) is not None or _FRACTION.fullmatch(text):
        return None
    names = list(_NAME.finditer(unit.code.code, *span))
    if names and all(_is_constant(unit, each) for each in names):
        return None
    return types.of(unit.declarations.node_at(span))


def _is_constant(unit: Unit, name: re.Match[str]) -> bool:
    """Whether a name may be a constant: one of a template, by its spelling, or by its value."""
    if _CONSTANT.fullmatch(name[0]) or number(unit.code, unit.rules, name[0]) is not None:
        return True
    found = variable(unit.declarations, name[0], name.start())
    return found is not None and (
        "constexpr" in found.words or is_of_template(unit.declarations, found)
    )


def _narrows(own: str, wanted: str) -> bool:
    """Whether a type has values that another has not; False where one of them is not known."""
    if not own or not wanted or own == wanted:
        return False
    if wanted in (FLOAT, DOUBLE):
        return own != FLOAT
    if own in (FLOAT, DOUBLE):
        return True
    is_signed, to_signed = (not each.startswith(_UNSIGNED) for each in (own, wanted))
    bits, to_bits = (_BITS.get(_plain(each), 0) for each in (own, wanted))
    if not bits or not to_bits:
        return False
    if own == "bool":
        return False
    if is_signed and not to_signed:
        return True
    return to_bits < bits or (to_bits == bits and to_signed and not is_signed)


def _plain(kind: str) -> str:
    return kind.removeprefix(_UNSIGNED).removeprefix("signed ")
