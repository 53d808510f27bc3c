"""Options of NVRTC in string literals, written as clang takes them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import RuleKeys
from hipport.source.patterns.rewriting import rewrite_each
from hipport.source.source_file import Unit


class Target(RuleKeys, frozen=True):
    """NVRTC's option for an architecture, and what takes its place."""

    option: str
    new: str


class FixKeys(RuleKeys, frozen=True):
    target: Target
    options: dict[str, str]


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Rewrite each literal that is an option and nothing else.

    A file that also calls nvcc may mean that one's options: there they are reported only.
    """
    if "nvcc" in unit.code.text:
        return
    keys, targets = rule.read(FixKeys), unit.options.targets
    plain: list[tuple[Span, str]] = []
    named: list[tuple[Span, str]] = []
    for literal in unit.code.literals:
        span = Span(literal.start + 1, literal.end - 1)
        if unit.code.directive_at(span.start) is not None:
            continue
        if new := keys.options.get(unit.code.slice(span)):
            plain.append((span, new))
        elif len(targets) == 1 and re.fullmatch(keys.target.option, unit.code.slice(span)):
            named.append((span, keys.target.new.format(target=targets[0])))
    rewrite_each(unit, "compile-option", plain)
    rewrite_each(unit, "compile-target", named)
