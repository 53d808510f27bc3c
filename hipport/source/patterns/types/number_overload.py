"""Functions of two numbers, which CUDA overloads for each pair of types and HIP for few.

On the device, HIP computes what has two types in double. On the host it has nothing but int, to
which anything else is converted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import parse_version
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, in_device_code
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_functions import functions_named, may_declare_function
from hipport.source.names.number_types import (
    DOUBLE,
    FLOAT,
    INT,
    UNSIGNED,
    NumberTypes,
    promoted,
)
from hipport.source.names.variables import variable
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.function_texts import function_around
from hipport.source.warps.ported_warps import is_hip

_FINDING = "HP-TYPE-366"
_ON_DEVICE, _ON_HOST = "number-overload-device", "number-overload-host"
_UNSIGNED = "unsigned "
_NAME = regex(r"[\w\s:.>-]+")
_PART = regex(r"(?P<name>\w+)\s*\.\s*[xyz]\s*")
_WRITTEN = {"unsigned long": "size_t"}
"""How types are written: `unsigned long` has 32 bits on Windows, where `size_t` has 64."""


class Keys(RuleKeys, frozen=True):
    other: Regex
    """What makes the names those of another library in a file."""
    same: Regex
    """Functions that return a number of the type of those that they take."""
    of_floats: Regex


class FixKeys(RuleKeys, frozen=True):
    floats: Mapping[str, str]
    """Function -> that of floats."""
    doubles: Mapping[str, str]
    template: str
    """What other numbers are given to on the host, a template with the function's `name`."""
    numbers_from: str
    """The release of ROCm from which on parts of the variables of the grid are numbers."""


class _Pair(NamedTuple):
    name: Span
    arguments: list[Span]
    types: tuple[str, str]
    is_on_device: bool

    @property
    def common(self) -> str:
        """The type that CUDA's overload has; "" where it may have several, or there is none."""
        one, two = sorted(map(promoted, self.types), key=len)
        if not one and (two.startswith(_UNSIGNED) or two == DOUBLE):
            return two
        # CUDA has an overload for two types that differ in nothing but the sign, or are floating.
        is_pair = two == _UNSIGNED + one or {one, two} == {FLOAT, DOUBLE}
        return two if is_pair or one == two else ""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report calls on the host of values whose types the file does not show."""
    for pair in _pairs(unit, rule, are_hosts=True):
        is_known = _is_certain(unit, pair) or INT in map(promoted, pair.types)
        if not is_known and counts(unit, rule, pair.name.start):
            unit.report(rule.id, pair.name, unit.code.slice(pair.name))


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Give numbers the type of CUDA's overload, or call what has it."""
    keys = rule.read(FixKeys)
    for pair in list(_pairs(unit, unit.rules.findings[_FINDING])):
        if pair.is_on_device:
            _convert(unit, pair, keys)
        elif pair.common != INT and _is_certain(unit, pair):
            name, kind = unit.code.slice(pair.name), pair.common
            new = {FLOAT: keys.floats, DOUBLE: keys.doubles}.get(kind, {}).get(name)
            if new is None:
                is_one = pair.types == (kind, kind)
                given = "" if is_one else f"<{_WRITTEN.get(kind, kind)}>"
                new = keys.template.format(name=name) + given
            rewrite(unit, _ON_HOST, [(pair.name, new)], [pair.name])


def _pairs(unit: Unit, rule: FindingRule, *, are_hosts: bool = False) -> Iterator[_Pair]:
    """Each call of CUDA's function, and the types of its numbers: "" for one that is not known."""
    if unit.language != "cuda" or is_hip(unit.code, unit.rules):
        return
    plain = [each for each in unit.of(rule.names) if each.qualifier is None and not each.is_pasted]
    # The tree's own functions of these names are found first, in their namespace or class.
    own = {each for each in {use.name for use in plain} if _has_own(unit, each)}
    uses = [each for each in plain if each.name not in own]
    keys = rule.read(Keys)
    is_others = bool(uses) and unit.code.matches(keys.other)
    grid = frozenset(unit.rules.device_code.variables)
    for use in uses:
        is_on_device = unit.is_embedded or (
            in_device_code(unit, use.span.start) or _uses(unit, grid, use.span.start)
        )
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) != 2 or unit.code.directive_at(use.span.start):
            continue
        if are_hosts if is_on_device else is_others:
            continue
        types = NumberTypes(unit.declarations, grid, keys.same, keys.of_floats)
        one, two = (types.of(unit.declarations.node_at(each)) for each in call.arguments)
        yield _Pair(use.span, call.arguments, (one, two), is_on_device)


def _has_own(unit: Unit, name: str) -> bool:
    """Whether the file has a function of a name: only where a use may declare it is it parsed."""
    return may_declare_function(unit.code, name) and bool(functions_named(unit.declarations, name))


def _uses(unit: Unit, grid: frozenset[str], offset: int) -> bool:
    """Whether the function around an offset uses the grid: a macro may say that it is a kernel."""
    if unit.code.words.isdisjoint(grid):
        return False
    around = function_around(unit.code.code, offset)
    text = unit.code.slice(around) if around else ""
    used = [each for each in grid if f"{each}." in text]
    # A host may have variables of these names.
    return any(variable(unit.declarations, each, offset) is None for each in used)


def _is_certain(unit: Unit, pair: _Pair) -> bool:
    """Whether another function can take the numbers, by reference: a name that the file does not
    show may be a constant of a class, which has no address."""
    unknown = [span for span, kind in zip(pair.arguments, pair.types, strict=True) if not kind]
    return bool(pair.common) and not any(_NAME.fullmatch(unit.code.slice(each)) for each in unknown)


def _convert(unit: Unit, pair: _Pair, keys: FixKeys) -> None:
    """Convert the number whose type is not that of CUDA's overload, if both are integers."""
    kind = pair.common
    if "" in pair.types or kind in ("", FLOAT, DOUBLE):
        return
    parts = [_PART.fullmatch(unit.code.slice(each)) for each in pair.arguments]
    grid = unit.rules.device_code.variables
    are_objects = [each is not None and each["name"] in grid for each in parts]
    if pair.types[0] == pair.types[1]:
        is_old = unit.options.rocm < parse_version(keys.numbers_from)
        if not is_old or not any(are_objects):
            return
    edits: list[tuple[Span, str]] = []
    for span, own, is_object in zip(pair.arguments, pair.types, are_objects, strict=True):
        text = unit.code.slice(span)
        if own == kind and not is_object:
            continue
        if text.isdecimal() and kind == UNSIGNED:
            edits.append((Span(span.end, span.end), "u"))
        else:
            edits += [(Span(span.start, span.start), f"static_cast<{_WRITTEN.get(kind, kind)}>(")]
            edits += [(Span(span.end, span.end), ")")]
    rewrite(unit, _ON_DEVICE, edits, [pair.name])
