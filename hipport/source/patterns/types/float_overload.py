"""Functions that CUDA overloads for float and double, and HIP has only for double."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import in_device_code
from hipport.source.languages.cuda_syntax import Call, parse_call
from hipport.source.names.declared_types import type_like
from hipport.source.names.uses import Use
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences

_RESULT = regex(
    r"\s*(?P<address>&)?\s*(?P<name>[A-Za-z_]\w*)\s*(?P<index>\[[^][]*\])?\s*(?P<part>\.\s*[xyzw])?\s*"
)
_MACRO = regex(r"\s*(?P<name>\w+)\((?P<parameters>[^()]*)\)")
_VECTOR = regex(r"(float|double)[1-4]")
_CLASS = (
    r"\btemplate\s*<(?P<parameters>[^<>]{1,200})>\s*"
    r"(?:struct|class)\s+(?P<name>\w+)\s*(?:final\s*)?[:{]"
)
_CLASS_FOR_FLOATS = r"\btemplate\s*<\s*>\s*(?:struct|class)\s+(?P<name>\w+)\s*<\s*float\s*>\s*[:{]"
_SINGLE, _DOUBLE = "float", "double"


class Keys(RuleKeys, frozen=True):
    on_hosts: frozenset[str] = frozenset()
    """Of the names, those of which a host call counts: C's library has them for double."""


class FixKeys(RuleKeys, frozen=True):
    functions: Mapping[str, str]
    """Function -> that of floats."""
    on_hosts: frozenset[str] = frozenset()


def find(unit: Unit, rule: FindingRule) -> None:
    """Report calls whose results have a type that the file does not show."""
    keys = rule.read(Keys)
    for use, kind in _calls(unit, rule.names, keys.on_hosts):
        if kind not in (_SINGLE, _DOUBLE) and not _is_apart_for_floats(unit, use, kind):
            unit.report(rule.id, use.span, use.name)


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Call the function of floats where the results are floats: they choose CUDA's overload."""
    keys = rule.read(FixKeys)
    for use, kind in list(_calls(unit, frozenset(keys.functions), keys.on_hosts)):
        if kind == _SINGLE:
            rewrite(unit, "float-overload", [(use.span, keys.functions[use.name])], [use.span])


def _calls(
    unit: Unit, names: frozenset[str], on_hosts: frozenset[str]
) -> Iterator[tuple[Use, str]]:
    """Each call with a number and the places of two results, and the type of the results."""
    for use in unit.of(names - {name for name in names if _is_own(unit, name)}):
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) != 3 or use.qualifier or use.is_member:
            continue
        is_cuda = unit.language == "cuda" and use.name in on_hosts
        if is_cuda or in_device_code(unit, use.span.start):
            calls = _calls_of_macro(unit, use, call) or [call.arguments[1:]]
            # Both have one type: one of them is enough.
            each_kind = [{_type(unit, *each) for each in every} - {""} for every in calls]
            kinds = set().union(*(found or {""} for found in each_kind))
            yield use, kinds.pop() if len(kinds) == 1 else ""


def _calls_of_macro(unit: Unit, use: Use, call: Call) -> list[list[Span]]:
    """What the file's calls of the macro that has a call for its text give as its results."""
    directive = unit.code.directive_at(use.span.start)
    if directive is None or directive.keyword != "define":
        return []
    macro = _MACRO.match(unit.code.code, directive.body.start)
    if macro is None:
        return []
    names = [each.strip() for each in macro["parameters"].split(",")]
    given = [unit.code.code[slice(*each)].strip() for each in call.arguments[1:]]
    if not all(each in names for each in given):
        return []
    places = [names.index(each) for each in given]
    found: list[list[Span]] = []
    for at in occurrences(unit.code.code, macro["name"]):
        span = Span(at, at + len(macro["name"]))
        within = unit.code.directive_at(at)
        called = None if within else parse_call(unit.code, span)
        if called and len(called.arguments) == len(names):
            found.append([called.arguments[place] for place in places])
    return found


def _is_apart_for_floats(unit: Unit, use: Use, kind: str) -> bool:
    """Whether a type is the parameter of a class template that the file has apart for floats."""
    if not kind.isidentifier():
        return False
    before = (each for each in unit.code.finditer(_CLASS) if each.start() < use.span.start)
    around = deque((each for each in before if kind in each["parameters"].split()), maxlen=1)
    return any(
        each["name"] == around[0]["name"]
        for each in (unit.code.finditer(_CLASS_FOR_FLOATS) if around else ())
    )


def _is_own(unit: Unit, name: str) -> bool:
    """Whether the file declares a function of that name."""
    uses = unit.uses.get(name, ())
    return any(unit.declarations.scope(each.span) is not None for each in uses)


def _type(unit: Unit, start: int, end: int) -> str:
    """What a pointer points to, if the file shows it; else ""."""
    match = _RESULT.fullmatch(unit.code.code, start, end)
    if match is None or (match["address"] is None and (match["index"] or match["part"])):
        return ""
    kind = type_like(unit.declarations, match["name"], match.start("name"), ".+")
    if match["index"] or match["address"] is None:
        pointed = kind.removeprefix("const ").removesuffix("[]").removesuffix("*")
        kind = pointed if pointed != kind else ""
    if match["part"]:
        vector = _VECTOR.fullmatch(kind)
        return vector[1] if vector else ""
    return kind
