"""Statements of PTX that stop a kernel, or a debugger: clang has a function for each."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import in_device_code
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit


class FixKeys(RuleKeys, frozen=True):
    statement: Regex
    """What follows the keyword, to the closing bracket; the group `instruction` is its only one."""
    calls: dict[str, str]
    """Instruction -> the call that takes the place of the statement."""


def fix(unit: Unit, rule: RewriteRule) -> None:
    """`asm volatile("trap;");` becomes `__builtin_trap();`, in macros of CUDA's sources too."""
    keys = rule.read(FixKeys)
    shape = re.compile(keys.statement)
    for use in unit.of(rule.when):
        match = None if use.qualifier else shape.match(unit.code.text, use.span.end)
        if match is None:
            continue
        if unit.language == "cuda" or in_device_code(unit, use.span.start):
            span = Span(use.span.start, match.end())
            rewrite(unit, "trap-statement", [(span, keys.calls[match["instruction"]])], [span])
