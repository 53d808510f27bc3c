"""Shuffles by cooperative groups of values that HIP's groups do not take."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts, device_bodies
from hipport.source.languages.cuda_syntax import Call, parse_call
from hipport.source.names.declared_types import member_like, type_like
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip_back

_FINDING = "HP-CG-010"
_GROUP = regex(r"(?<![\w.>:\])])[A-Za-z_]\w*\s*\.\s*\Z")
_PLAIN = regex(r"[\w\s.+\-*/]*")
_NAME = regex(r"[A-Za-z_]\w*")
_VALUE = regex(r"(?P<name>[A-Za-z_]\w*)(?:\.(?P<member>[A-Za-z_]\w*))?")


class Keys(RuleKeys, frozen=True):
    members: tuple[str, ...]
    types: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each shuffle of a variable that its function declares with one of the rule's types."""
    for each in _vector_shuffles(unit, rule):
        words = {"type": each.type, "value": each.value}
        unit.report(rule.id, each.symbol, unit.code.slice(each.symbol), words)


class Shuffle(msgspec.Struct, frozen=True):
    symbol: Span
    call: Call
    value: str
    type: str


def _vector_shuffles(unit: Unit, rule: FindingRule) -> Iterator[Shuffle]:
    """Each shuffle of a variable, or of a member of one, that is declared as such a vector."""
    keys = rule.read(Keys)
    text, code = unit.code.code, unit.code
    members = code.words.intersection(keys.members)
    types = filter(re.compile(keys.types).fullmatch, code.words) if members else ()
    # A compiler knows aliases too; without one, the tree need not be asked about other names.
    is_known = bool(unit.declarations.meanings.types)
    places = [at for name in types for at in occurrences(text, name)]
    candidates = {name for at in places for name in _NAME.findall(text, at, text.find(";", at))}
    if not candidates:
        return
    for body in device_bodies(unit):
        found = (
            Span(at, at + len(name))
            for name in members
            for at in occurrences(text, name, *body)
            if text.endswith(".", 0, skip_back(text, at))
        )
        for at in sorted(found):
            call = parse_call(unit.code, at)
            if call is None or not call.arguments or not counts(unit, rule, at.start):
                continue
            value = _VALUE.fullmatch(text[slice(*call.arguments[0])])
            if value is None:
                continue
            if not is_known and (value["member"] or value["name"]) not in candidates:
                continue
            start = call.arguments[0].start
            shape = r"\w+" if value["member"] else keys.types
            declared = type_like(unit.declarations, value["name"], start, shape)
            if value["member"]:
                member = Span(start + value.start("member"), start + value.end("member"))
                declared = member_like(unit.declarations, member, declared, keys.types)
            if declared:
                yield Shuffle(at, call, value[0], declared)


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Shuffle each component of a variable; what else is passed is written as often."""
    text = unit.code.code
    for shuffle in _vector_shuffles(unit, unit.rules.findings[_FINDING]):
        symbol, call = shuffle.symbol, shuffle.call
        group = _GROUP.search(text, max(0, symbol.start - 80), symbol.start)
        rest = text[call.arguments[0].end : call.closed]
        if group is None or not _PLAIN.fullmatch(rest.removeprefix(",")) or "++" in rest:
            continue
        callee = text[group.start() : symbol.end]
        parts = ", ".join(
            f"{callee}({shuffle.value}.{part}{rest})" for part in "xyzw"[: int(shuffle.type[-1])]
        )
        whole = Span(group.start(), call.closed + 1)
        rewrite(unit, "group-shuffle", [(whole, f"make_{shuffle.type}({parts})")], [symbol])
