"""Which patterns there are: a finding's key `check` names one of hipport/source/patterns."""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import RuleKeys, expressions, pattern_faults

_FOLDER = Path(__file__).resolve().parents[1] / "source" / "patterns"


@cache
def pattern_modules() -> dict[str, str]:
    """Pattern -> its module. A pattern is a file in a folder for its topic."""
    # Path objects and their patterns take five times as long, as often as a program starts.
    found: dict[str, str] = {}
    for topic in sorted(os.listdir(_FOLDER)):  # noqa: PTH208
        if "." not in topic and not topic.startswith("_"):
            for name in sorted(os.listdir(f"{_FOLDER}/{topic}")):  # noqa: PTH208
                stem, _, ending = name.partition(".")
                if ending == "py" and not stem.startswith("_"):
                    found[stem] = f"hipport.source.patterns.{topic}.{stem}"
    return found


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
