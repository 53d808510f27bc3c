"""Checks rules/flags.tsv, cmake.tsv and environment.tsv: values, patterns, contradictions."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from hipport.model import Severity
from hipport.rulebook import cmake_rules
from hipport.rulebook.nvcc_flags import ACTIONS, FORMS, MEANINGS, FlagRule
from hipport.rulebook.toolkit_folders import KINDS

_NEEDS_HIP = frozenset(("map", "targets", "unwrap", "library", "path", "include"))
_FIELDS = frozenset(("value", "flag", "target"))


def flag_faults(rule: FlagRule, codes: frozenset[str]) -> Iterator[str]:
    """What is wrong with one line of rules/flags.tsv; `codes` are the findings there are."""
    for column, known in (("form", FORMS), ("action", ACTIONS), ("clang", MEANINGS)):
        if getattr(rule, column) not in known:
            yield f"unknown {column} {getattr(rule, column)}"
    for flag in rule.flags.split():
        if not flag.startswith("-"):
            yield f"{flag} is not a flag"
        if rule.form == "glued" and len(flag) != 2 and not flag.startswith("--"):
            yield f"{flag}: only flags of one letter are joined to a value"
    if rule.form == "none" and rule.value:
        yield "has a value, yet takes none"
    if (rule.action in _NEEDS_HIP) > bool(rule.hip):
        yield f"is to become something ({rule.action}), yet hip is empty"
    if rule.action in ("drop", "report") and rule.hip:
        yield f"{rule.action}, yet becomes {rule.hip}"
    if rule.action == "report" and not rule.finding:
        yield "is to be reported, yet has no finding"
    if rule.finding and rule.finding not in codes:
        yield f"unknown finding {rule.finding}"
    if rule.severity and rule.severity.upper() not in Severity.__members__:
        yield f"unknown severity {rule.severity}"
    try:
        re.compile(rule.value)
        fields = {each for _, each, _, _ in string.Formatter().parse(rule.hip + rule.roc) if each}
    except (re.error, ValueError) as error:
        yield f"{error}"
        return
    if not fields <= _FIELDS:
        yield f"unknown field {', '.join(sorted(fields - _FIELDS))}"


def repeated_flags(rules: list[FlagRule]) -> Iterator[tuple[int, str]]:
    """(number of the rule, fault) where two rules take one flag with the same values."""
    seen: dict[tuple[str, bool, str], int] = {}
    for number, rule in enumerate(rules):
        for flag in rule.flags.split():
            key = (flag, rule.form == "none", rule.value)
            if key in seen:
                yield number, f"{flag} appears twice"
            seen[key] = number


def cmake_faults(rule: cmake_rules.CMakeRule) -> Iterator[str]:
    """What is wrong with one line of rules/cmake.tsv."""
    if rule.kind not in cmake_rules.KINDS:
        yield f"unknown kind {rule.kind}"
    if rule.action not in cmake_rules.ACTIONS:
        yield f"unknown action {rule.action}"
    if rule.action == "rename" and not (rule.hip or rule.roc):
        yield "is to become something, yet hip is empty"
    if rule.action in ("drop", "report") and rule.hip and rule.kind != "command":
        yield f"{rule.action}, yet becomes {rule.hip}"
    if rule.action == "report" and not rule.note:
        yield "is to be reported, yet has no note"


def kind_faults(kind: str) -> Iterator[str]:
    """What is wrong with the kind of a line of rules/environment.tsv."""
    if kind not in KINDS:
        yield f"unknown kind {kind}"
