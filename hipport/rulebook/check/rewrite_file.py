"""Checks rules/rewrites: that each rewrite can be made, and that its patterns can be used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.rulebook.pattern_modules import pattern_modules
from hipport.rulebook.rules import RuleSet


def rewrite_faults(rules: RuleSet) -> Iterator[str]:
    """What is wrong, a line each; nothing for a folder of rules without rewrites."""
    for rule in rules.rewrites:
        patterns = {name: edit.pattern for name, edit in rule.edits.items() if edit.pattern}
        if patterns and not rule.when:
            yield f"{rule.place}: when: is missing"
        if rule.when and not patterns and rule.name not in pattern_modules():
            yield f"{rule.place}: no file of that name is in hipport/source/patterns"
        for name, pattern in patterns.items():
            yield from (f"{rule.place}: edits.{name}.{fault}" for fault in _faults(pattern))


def _faults(pattern: str) -> Iterator[str]:
    try:
        groups = re.compile(pattern).groupindex
    except re.error as error:
        yield f"pattern: {error}"
        return
    if "symbol" not in groups:
        yield "pattern: names no group `symbol`"
