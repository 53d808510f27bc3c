"""Specializations and operators for two types of CUDA of which HIP has one."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.variables import parameters
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.directives import are_alternatives

_SPECIALIZED = regex(
    r"\btemplate\s*<[^<>;{}()]*>\s*[^;{}()=]*?"
    r"\b(?P<name>\w+)\s*<(?P<given>[^<>;{}()]*)>\s*(?P<end>[{(=]|:(?!:))"
)
_OPERATOR = regex(r"\b(?P<name>operator\s*(?:\(\s*\)|<<|>>|[=!]=))\s*\((?P<given>[^()]*)\)")
_BODY = regex(r"\s*(?:const\b\s*)?(?:noexcept\b\s*)?(?:->[^;{}()]*)?\{")
_HEADS = frozenset(("template", "operator"))
_SCOPES = frozenset(("namespace_definition", "class_specifier", "struct_specifier"))


class Keys(RuleKeys, frozen=True):
    same: tuple[tuple[str, ...], ...]
    """Types of which HIP has one."""


class _Definition(NamedTuple):
    name: Span
    given: tuple[str, ...]
    """The arguments of the template, or the types of the parameters."""
    start: int


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each that repeats one before it once the types are mapped."""
    groups, words = rule.read(Keys).same, unit.code.words
    if words.isdisjoint(_HEADS) or not any(_may_repeat(words, each) for each in groups):
        return  # A file that has one of the types alone repeats nothing.
    same = {kind: each[0] for each in groups for kind in each}
    seen: dict[tuple[str | int, ...], _Definition] = {}
    for each in sorted(_definitions(unit)):
        if same.keys().isdisjoint(each.given):
            continue
        name = "".join(unit.code.slice(each.name).split())
        mapped = [same.get(kind, kind) for kind in each.given]
        first = seen.setdefault((_scope(unit, each.start), name, *mapped), each)
        place = each.name.start
        branches = map(unit.code.branch_at, (first.name.start, place))
        if first.given == each.given or are_alternatives(*branches):
            continue
        if unit.code.directive_at(place) is None and counts(unit, rule, place):
            pairs = zip(first.given, each.given, strict=True)
            one, other = next((one, other) for one, other in pairs if one != other)
            unit.report(rule.id, each.name, name, {"first": one, "second": other})


def _may_repeat(words: frozenset[str], types: tuple[str, ...]) -> bool:
    """Whether two of the types may be there; `void*` is no word, and may be anywhere."""
    names = [each for each in types if each in words]
    pointers = [each for each in types if not each.isidentifier()]
    return bool(names) and len(names) + len(pointers) > 1


def _definitions(unit: Unit) -> Iterator[_Definition]:
    text = unit.code.code
    for match in unit.code.finditer(_SPECIALIZED.pattern):
        closed = closing_bracket(text, match.start("end")) if match["end"] == "(" else None
        if match["end"] != "(" or (closed and _BODY.match(text, closed + 1)):
            given = ("".join(each.split()) for each in match["given"].split(","))
            yield _Definition(Span(*match.span("name")), tuple(given), match.start())
    for match in unit.code.finditer(_OPERATOR.pattern):
        if _BODY.match(text, match.end()):
            types = (each.type for each in parameters(match["given"]))
            yield _Definition(Span(*match.span("name")), tuple(types), match.start())


def _scope(unit: Unit, start: int) -> int:
    """Where the class or namespace around a definition begins."""
    node = unit.declarations.node_at(Span(start, start + 1))
    while node and node.type not in _SCOPES:
        node = node.parent
    return node.start_byte if node else -1
