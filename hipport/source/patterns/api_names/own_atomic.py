"""Atomic functions that a file defines at file scope and that HIP's headers define too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.names.aliased_types import aliases_of
from hipport.source.names.hip_branches import is_for_older_gpus, is_for_some_releases
from hipport.source.names.uses import Use
from hipport.source.names.variables import parameters, template_parameters
from hipport.source.patterns.guarding import definition, guard
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.conditions import as_expression

_NOTHING = regex(r"\s+|::")
_SPACE = regex(r"\A\s*[A-Z][A-Z\d_]*\s+(?=[A-Za-z_:])")
"""A macro for the memory that a pointer is to, as OpenCL wants it."""


class Keys(RuleKeys, frozen=True):
    others: Regex
    """Types that HIP has no such functions for."""
    signed: Regex
    """More such types, but for the functions of `having_signed`."""
    having_signed: tuple[str, ...]
    other_back_ends: Regex


class FixKeys(RuleKeys, frozen=True):
    macro: str
    bodies: Mapping[str, str]
    """Function -> what it does, without blanks: its parameters, then its body."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each declaration that reaches the whole file: elsewhere it hides HIP's own."""
    keys = rule.read(Keys)
    for use in _declarations(unit, rule.names):
        if _is_for_other_back_end(unit, use.span.start, keys.other_back_ends):
            continue
        if is_for_older_gpus(unit.code, unit.rules, use.span.start):
            continue  # HIP leaves it out, too.
        if is_for_some_releases(unit.code, unit.rules, use.span.start):
            continue  # Only releases of HIP without it define it.
        opened = skip(unit.code.code, use.span.end)
        inside = unit.code.code[opened + 1 : closing_bracket(unit.code.code, opened)]
        given = parameters(_SPACE.sub("", inside))
        if not (given and _is_lacking(unit, keys, use, given[0].type)):
            unit.report(rule.id, use.span, use.name)


def _is_lacking(unit: Unit, keys: Keys, use: Use, parameter: str) -> bool:
    """Whether HIP has no such function for a pointer, to a type by any name."""
    of_any = use.name in keys.having_signed
    kind = parameter.removeprefix("const ").removesuffix("*")
    if kind == parameter or not kind:
        return False
    if re.fullmatch(keys.others if of_any else f"{keys.others}|{keys.signed}", kind):
        return True
    if of_any or kind not in unit.warps.signed | aliases_of(unit.code, keys.signed):
        return False
    start = max(unit.code.code.rfind(mark, 0, use.span.start) for mark in ";}") + 1
    return kind not in template_parameters(unit.code.code[start : use.span.start].strip())


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Compile only for CUDA those that do what HIP's do."""
    keys = rule.read(FixKeys)
    for use in _declarations(unit, frozenset(keys.bodies)):
        opened = skip(unit.code.code, use.span.end)
        closed = closing_bracket(unit.code.code, opened)
        whole = definition(unit, use.span, closed) if closed else None
        if closed is None or whole is None:
            continue
        start, body = whole
        text = _NOTHING.sub("", unit.code.code[opened : body.end + 1])
        if re.fullmatch(keys.bodies[use.name], text):
            guard(unit, "own-atomic", keys.macro, Span(start, body.end + 1), [use.span])


def _is_for_other_back_end(unit: Unit, offset: int, macros: str) -> bool:
    """Whether a condition asks for nothing but a back end that is neither CUDA nor HIP."""
    for opened, number in unit.code.branch_at(offset):
        directive = unit.code.directive_at(opened)
        if directive is None or number:
            continue
        condition = as_expression(directive.keyword, unit.code.code[slice(*directive.body)])
        if re.fullmatch(rf"\s*defined\W*{macros}\W*", condition):
            return True
    return False


def _declarations(unit: Unit, names: frozenset[str]) -> Iterator[Use]:
    whole = Span(0, len(unit.code.data))
    for name in names:
        for use in unit.uses.get(name, ()):
            scope = None if use.is_member else unit.declarations.scope(use.span)
            # A macro of the name takes the place of HIP's function, as it does of CUDA's.
            if scope and whole in scope and not unit.code.directive_at(use.span.start):
                yield use
