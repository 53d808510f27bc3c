"""What the rulebook knows of one name: of a function, a flag, a CMake name, a variable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.rulebook.cmake_rules import CMakeRule
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.model import ApiRule
from hipport.rulebook.nvcc_flags import FlagRule, flag_rules
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.toolkit_folders import EnvironmentRule

Rule = FlagRule | CMakeRule | EnvironmentRule


def build_rules(rules: RuleSet, name: str) -> Iterator[Rule]:
    """The lines about a flag (`-arch`, `-arch=sm_80`, `-lcublas`), a CMake name, a variable."""
    yield from _flags(rules, name)
    yield from (rule for row in rules.table("cmake.tsv") if (rule := CMakeRule(*row)).cuda == name)
    for row in rules.table("environment.tsv"):
        if row[0] == name:
            yield EnvironmentRule(*row)


def signature(rules: RuleSet, rule: ApiRule) -> str:
    """What both vendors' headers say about a function, by rules/verified.tsv; "" for nothing."""
    for cuda, hip, verdict, *rest in rules.table("verified.tsv"):
        if (cuda, hip) == (rule.cuda, rule.hip):
            detail, cuda_version, hip_version = rest
            words = f"{verdict} ({detail})" if detail else verdict
            return f"{words}, by the headers of CUDA {cuda_version} and HIP {hip_version}"
    return ""


def script_findings(rules: RuleSet, name: str) -> list[FindingRule]:
    """The findings about scripts that look for the name; `rules` are the audit's."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return [
        rule
        for rule in rules.findings.about("shell")
        if any(map(word.search, (*rule.hints, *rule.patterns)))
    ]


def _flags(rules: RuleSet, name: str) -> Iterator[FlagRule]:
    known = flag_rules(rules)
    flag, is_given, value = name.partition("=")
    if flag in known:
        yield from (rule for rule in known[flag] if not is_given or _takes(rule, value))
    elif name[:2] in known:
        glued = (rule for rule in known[name[:2]] if rule.form == "glued")
        yield from (rule for rule in glued if _takes(rule, name[2:]))


def _takes(rule: FlagRule, value: str) -> bool:
    return not rule.value or re.fullmatch(rule.value, value) is not None
