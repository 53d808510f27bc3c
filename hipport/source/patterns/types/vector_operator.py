"""Operators that a file defines on float4 and similar types: HIP's vector types have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.names.variables import Variable, parameters
from hipport.source.patterns.guarding import definition, guard
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.warps.kept_warps import is_for_hip

_FINDING = "HP-TYPE-006"
_PARTS = "xyzw"
_LONGEST_HEAD = 300


class Keys(RuleKeys, frozen=True):
    operators: Regex
    types: Regex
    scalars: Regex
    clashing: Regex
    """Those that HIP has for two vectors of one type, which a function does not win over."""
    device_only: Regex
    """What is before a function that HIP's compiler prefers to one for host and device."""


class FixKeys(RuleKeys, frozen=True):
    macro: str
    result: str
    """What is returned: the vector's type and its components."""
    components: dict[str, str]
    """How the names of vectors of these components begin."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each free function on a vector type that clashes with one of HIP's."""
    keys = rule.read(Keys)
    for symbol, opened, closed in _own_operators(unit, rule):
        name = unit.code.slice(symbol)
        if not re.fullmatch(keys.clashing, name):
            continue
        operands = [each.type for each in parameters(unit.code.code[opened + 1 : closed])]
        # One operand: a member of another type, which HIP's operators leave alone. With a number
        # HIP's are templates, and a plain function wins.
        if len(operands) == 2 and len(set(operands)) == 1:
            unit.report(rule.id, symbol, "".join(name.split()))


def _own_operators(unit: Unit, rule: FindingRule) -> Iterator[tuple[Span, int, int]]:
    """Each such function's name, and the brackets of its parameters."""
    keys = rule.read(Keys)
    text = unit.code.code
    symbol = re.compile(rf"\s*({keys.operators})\s*(?=\()")
    for use in unit.of(rule.names):
        match = symbol.match(text, use.span.end)
        if use.qualifier or match is None:
            continue
        opened = skip(text, match.end())
        closed = closing_bracket(text, opened)
        # A call has values, which are no types of parameters.
        if closed is None or _is_for_devices(unit, rule, use.span.start):
            continue
        given = parameters(text[opened + 1 : closed])
        if _clashes(rule, given) and not _declares_one(unit, rule, given):
            yield Span(use.span.start, match.end(1)), opened, closed


def _is_for_devices(unit: Unit, rule: FindingRule, start: int) -> bool:
    """Whether a function of HIP code is for devices alone: device code prefers it to HIP's, which
    are for the host too. They are not where hipRTC compiles, as it may any code of CUDA's."""
    if not is_for_hip(unit):
        return False
    before = unit.code.code[max(0, start - _LONGEST_HEAD) : start]
    head = before[max(map(before.rfind, ";{}")) + 1 :]
    lines = [each for each in head.splitlines() if not each.lstrip().startswith("#")]
    return re.search(rule.read(Keys).device_only, " ".join(lines)) is not None


def _declares_one(unit: Unit, rule: FindingRule, given: Sequence[Variable]) -> bool:
    """Whether the file has a structure of its own that is called as HIP's vector type."""
    own = {each.type for each in given if re.fullmatch(rule.read(Keys).types, each.type)}
    return any(
        unit.code.code[skip(unit.code.code, at.end()) :][:1] == "{"
        for name in own
        for at in unit.code.finditer(rf"\b(?:struct|class)\s+{name}\b(?:\s*final\b)?", re.NOFLAG)
    )


def _clashes(rule: FindingRule, given: Sequence[Variable]) -> bool:
    """Whether HIP has the operator: one parameter is a vector, the others vectors or numbers."""
    keys = rule.read(Keys)
    others = [each.type for each in given if not re.fullmatch(keys.types, each.type)]
    words = [word for each in others for word in each.removeprefix("std::").split()]
    return len(others) < len(given) and all(re.fullmatch(keys.scalars, each) for each in words)


class _Vector(NamedTuple):
    type: str
    """What its components are of, as in `float3`: `float`."""
    parts: str
    name: str


class _Vectors(msgspec.Struct, frozen=True):
    """What HIP's vector types are called, and how a function returns one."""

    types: str
    components: dict[str, str]
    result: str

    def operand(self, type_: str, name: str) -> _Vector:
        parts = ""
        if re.fullmatch(self.types, type_):
            type_, parts = type_[:-1], _PARTS[: int(type_[-1])]
        return _Vector(self.components.get(type_, type_), parts, name)


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Compile only for CUDA those that work part by part, as HIP's do; report the others."""
    finding, words = unit.rules.findings[_FINDING], rule.read(FixKeys)
    vectors = _Vectors(finding.read(Keys).types, words.components, words.result)
    found: list[tuple[Span, Span]] = []
    for symbol, opened, closed in _own_operators(unit, finding):
        whole = definition(unit, symbol, closed)
        if whole is None:
            continue
        start, body = whole
        operator = "".join(unit.code.slice(symbol).removeprefix("operator").split())
        if _is_by_parts(unit.code.code, operator, Span(opened + 1, closed), body, vectors):
            found.append((Span(start, body.end + 1), symbol))
    while found:
        run = [found.pop(0)]
        while found and not unit.code.code[run[-1][0].end : found[0][0].start].strip():
            run.append(found.pop(0))
        span = Span(run[0][0].start, run[-1][0].end)
        guard(unit, "vector-operator", words.macro, span, [symbol for _, symbol in run])


def _is_by_parts(text: str, operator: str, given: Span, body: Span, vectors: _Vectors) -> bool:
    """Whether each part of the result is the operator applied to that part of the operands."""
    inside = text[slice(*given)]
    known = [
        vectors.operand(each.type, inside[slice(*each.name)])
        for each in parameters(inside)
        if each.name.start < each.name.end
    ]
    if not 1 <= len(known) <= 2:
        return False
    own = [each for each in known if each.parts]
    if not own or len({(each.type, len(each.parts)) for each in own}) > 1:
        return False
    if any(not each.parts and each.type != own[0].type for each in known):
        return False
    inner = text[body.start + 1 : body.end].strip()
    if operator in ("+", "-", "*", "/"):
        result = re.fullmatch(vectors.result, inner)
        if result is None or vectors.operand(result[1], "") != own[0]._replace(name=""):
            return False
        done = [_compact(each) for each in result[2].split(",")]
    elif operator in ("+=", "-=", "*=", "/=") and known[0].parts and len(known) == 2:
        done = [_compact(each) for each in inner.split(";") if each.strip()]
        if done and done[-1] == f"return{known[0].name}":
            done.pop()
    else:
        return False
    sides = [
        [f"{each.name}.{part}" if each.parts else each.name for part in own[0].parts]
        for each in known
    ]
    wanted = [
        operator.join(each) if len(each) > 1 else operator + each[0]
        for each in zip(*sides, strict=True)
    ]
    return done == wanted


def _compact(text: str) -> str:
    text = "".join(text.split())
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
