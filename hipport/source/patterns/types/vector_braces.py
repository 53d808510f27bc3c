"""Braces around the numbers of vectors, which are structures in CUDA and have constructors in HIP.

CUDA lets numbers follow each other in the braces of an array, and sets those that lack to zero.
HIP's vectors are made of one number a component, in braces of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.braced_values import value_braces, values_in
from hipport.source.flow.device_code import counts
from hipport.source.names.declared_types import type_like
from hipport.source.names.variables import Variable, variables_declared_by
from hipport.source.names.wanted_types import members_of
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.source_text import Code
from hipport.source.warps.ported_warps import is_hip

_FINDING = "HP-TYPE-365"
_OF_CLASS = regex(
    r"\s*(?:(?:static|const|constexpr|inline|__\w+__)\s+)*(?P<type>[A-Za-z_]\w*)\s+(?:const\s+)?\w+\b[^=]*=?"
)
_NUMBERS = regex(r"\{[\s{]*[-+.\d]")
_LONGEST = 300
"""The longest beginning of a declaration that is looked at."""
_NUMBER = regex(r"(?<!\w)(?:0[xX][\da-fA-F']+|(?:\d[\d']*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fFuUlL]*")
_ZERO = regex(r"[-+]?\s*(?:0[xX]0+|0+\.?0*|\.0+)[fFuUlL]*")
_NAME = regex(r"(?P<name>[A-Za-z_]\w*)(?P<part>\s*\.\s*[xyzw]\b)?(?P<more>\s*(?:[(\[.{<]|->|::))?")
_OPERATORS = regex(r"[-+*/%()\s]*")

_Edits = list[tuple[Span, str]]


class Keys(RuleKeys, frozen=True):
    types: Regex
    """The vectors; the last digit of a name is the number of components, which is else 2."""
    maker: str
    """What functions that make a vector begin with, before its type."""
    numbers: Regex
    """Types of numbers."""
    constants: Regex
    """Names of numbers."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report what is left: numbers among values that may be vectors."""
    for variable, edits in _variables(unit, rule.read(Keys)):
        if edits is None and counts(unit, rule, variable.name.start):
            unit.report(rule.id, variable.name, unit.code.slice(variable.name))


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Give each vector braces of its own, with a number for each component."""
    for variable, edits in list(_variables(unit, unit.rules.findings[_FINDING].read(Keys))):
        if edits:
            rewrite(unit, rule.name.replace("_", "-"), edits, [variable.name])


def _variables(unit: Unit, keys: Keys) -> Iterator[tuple[Variable, _Edits | None]]:
    """Each variable with braces, and the edits that it needs; None where they are not certain."""
    text = unit.code.code
    # In HIP one number in braces is a value of its own kind: all components, or the first.
    places = () if is_hip(unit.code, unit.rules) else _types(unit, keys)
    for place in places:
        if unit.code.directive_at(place.start):
            continue
        for found in variables_declared_by(unit.declarations, place):
            if found.value and text.startswith("{", found.value.start):
                yield found, _edits(unit, keys, found.type, found.value)


def _types(unit: Unit, keys: Keys) -> Iterator[Span]:
    """The types of declarations that may have such braces, of vectors or of what has some."""
    code = unit.code
    for place, is_vector in code.once(_declared_types, code, str(keys.types)):
        name = code.slice(place)
        if is_vector or (
            code.matches(rf"\b(?:struct|class)\s+{name}\b") and members_of(unit.declarations, name)
        ):
            yield place


def _declared_types(code: Code, vectors: str) -> tuple[tuple[Span, bool], ...]:
    """The word for the type before each brace of a value, and whether it is a vector's."""
    text, shape = code.code, re.compile(rf"\b(?:{vectors})\b")
    found: dict[Span, bool] = {}
    for end, at in value_braces(text):
        start = max(text.rfind(each, max(0, end - _LONGEST), end) for each in ";{}()") + 1
        vector = shape.search(text, start, end)
        other = _OF_CLASS.fullmatch(text, start, end) if not vector else None
        if vector:
            found[Span(*vector.span())] = True
        elif other and _NUMBERS.match(text, at):
            found[Span(*other.span("type"))] = False
    return tuple(found.items())


def _edits(unit: Unit, keys: Keys, kind: str, braces: Span) -> _Edits | None:
    writer = _Braces(unit, keys)
    values = list(values_in(unit.code.code, braces))
    if writer.collect(kind, values):
        return writer.edits
    is_zero = all(_ZERO.fullmatch(unit.code.code[slice(*each)]) for each in values)
    # Nothing in the braces means zeros as well, but where the class has values of its own.
    return (
        [(Span(values[0].start, values[-1].end), "")]
        if is_zero and not _has_own(unit, kind)
        else None
    )


def _has_own(unit: Unit, kind: str) -> bool:
    """Whether what comes first in a class has a value where none is given."""
    members = members_of(unit.declarations, kind.removeprefix("const ").rstrip("[]"))
    return bool(members) and (members[0].value is not None or _has_own(unit, members[0].type))


class _Braces:
    def __init__(self, unit: Unit, keys: Keys) -> None:
        self._unit, self._keys = unit, keys
        self.edits: _Edits = []
        self._has_unknown = False

    def collect(self, kind: str, values: list[Span]) -> bool:
        """Collect the edits of the values in the braces of a type; whether they are certain."""
        kind = kind.removeprefix("const ")
        if rank := self._rank(kind):
            self._vector(values, rank)
        elif kind.endswith("[]"):
            while values:
                values = self._next(kind[:-2], values)
        else:
            for member in members_of(self._unit.declarations, kind):
                values = self._next(member.type, values) if values else []
        return not (self.edits and self._has_unknown)

    def _next(self, kind: str, values: list[Span]) -> list[Span]:
        """Collect those of the next part, which has a type; the values behind it."""
        first, count = values[0], 1
        kind = kind.removeprefix("const ")
        rank, is_number = self._rank(kind), self._is_number(first)
        if self._has_braces(first):
            self.collect(kind, [*values_in(self._unit.code.code, first)])
        elif rank and is_number:
            count = rank
            group = values[:count]
            start, end = group[0].start, group[-1].end
            zeros = ", 0" * (count - len(group))
            self.edits += [(Span(start, start), "{"), (Span(end, end), f"{zeros}}}")]
        elif rank:
            self._has_unknown |= not self._is_vector(first)
        elif is_number and self._begins_with_vector(kind):
            # Numbers for an array or a class without braces: where they end needs its bounds.
            self.edits += [(first, "")]
            self._has_unknown = True
            count = len(values)
        return values[count:]

    def _begins_with_vector(self, kind: str) -> bool:
        kind = kind.removeprefix("const ").rstrip("[]")
        members = members_of(self._unit.declarations, kind) if kind.isidentifier() else []
        return bool(self._rank(kind) or (members and self._begins_with_vector(members[0].type)))

    def _is_vector(self, value: Span) -> bool:
        """Whether a value is certainly a vector: what makes one, or a variable."""
        text, types = self._unit.code.code[slice(*value)], self._keys.types
        return bool(
            re.match(rf"(?:{self._keys.maker})?(?:{types})\s*[({{]", text)
            or type_like(self._unit.declarations, text, value.start, rf"(?:const )?(?:{types})")
        )

    def _rank(self, kind: str) -> int:
        """The number of components of a vector; 0 for any other type."""
        if not re.fullmatch(self._keys.types, kind):
            return 0
        return int(kind[-1]) if kind[-1].isdigit() else 2

    def _vector(self, values: list[Span], rank: int) -> None:
        lacking = rank - len(values)
        # One value may be another vector, which is copied.
        if values and lacking > 0 and (len(values) > 1 or self._is_number(values[0])):
            self.edits.append((Span(values[-1].end, values[-1].end), ", 0" * lacking))

    def _has_braces(self, value: Span) -> bool:
        return self._unit.code.code.startswith("{", value.start)

    def _is_number(self, value: Span) -> bool:
        """Whether a value is certainly a number, by the numbers and the variables in it."""
        text = self._unit.code.code
        rest, found = _NUMBER.subn("", text[slice(*value)])
        if not found and not _NAME.search(rest):
            return False
        for match in _NAME.finditer(text, *value):
            if not self._is_number_named(match):
                return False
        return _OPERATORS.fullmatch(_NAME.sub("", rest)) is not None

    def _is_number_named(self, match: re.Match[str]) -> bool:
        keys, at = self._keys, match.start()
        if re.match(r"[\d.']", self._unit.code.code[at - 1 : at]):
            return True  # The suffix of a number.
        if match["more"]:
            return False
        types = rf"(?:const )?(?:{keys.types})" if match["part"] else rf"(?:{keys.numbers})"
        return re.fullmatch(keys.constants, match["name"]) is not None or bool(
            type_like(self._unit.declarations, match["name"], at, types)
        )
