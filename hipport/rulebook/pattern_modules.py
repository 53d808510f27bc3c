"""Which patterns there are: a finding's key `check` names one of hipport/source/patterns."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys, expressions, pattern_faults

_FOLDER = Path(__file__).resolve().parents[1] / "source" / "patterns"


@cache
def pattern_modules() -> dict[str, str]:
    """Pattern -> its module. A pattern is a file in a folder for its topic."""
    return {
        path.stem: f"hipport.source.patterns.{path.parent.name}.{path.stem}"
        for path in sorted(_FOLDER.glob("*/[a-z]*.py"))
    }


def own_key_faults(rule: FindingRule) -> list[str]:
    """What is wrong with the keys that a rule has for the pattern it names.

    The pattern is imported: its `Keys` say what it reads. RuleError for keys that do not fit.
    """
    if not rule.check:
        return []
    known = pattern_modules()
    if rule.check not in known:
        from hipport.schema import meant

        return [f"check: no check {rule.check}{meant(rule.check, sorted(known))}"]
    return list(pattern_faults(_read(rule)))


def own_key_expressions(rule: FindingRule) -> list[str]:
    """The regular expressions among the keys that a rule has for the pattern it names."""
    return [text for _, text in expressions(_read(rule))] if rule.check else []


def _read(rule: FindingRule) -> RuleKeys:
    return rule.read(_keys(pattern_modules()[rule.check]))


def _keys(module: str) -> type[RuleKeys]:
    found: type[RuleKeys] = getattr(importlib.import_module(module), "Keys", RuleKeys)
    return found
