"""What names and headers of libraries look like, of which the rulebook has no lines."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.text.required_texts import may_match


def whole_library(rules: RuleSet, name: str) -> FindingRule | None:
    """The finding for a library none of whose names can be renamed, if it has such a name."""
    shapes = rules.shapes_of_libraries
    return next((rule for shape, rule in shapes if _is_all(shape, name, re.ASCII)), None)


@lru_cache(maxsize=1024)
def header_finding(rules: RuleSet, name: str) -> str:
    """The code of the finding about a header; "" if there is none."""
    every = (
        (shape, rule.id) for rule in rules.findings.having("headers") for shape in rule.headers
    )
    return next((code for shape, code in every if _is_all(shape, name, re.NOFLAG)), "")


def _is_all(shape: str, name: str, flags: re.RegexFlag) -> bool:
    """Whether a shape is that of the whole name: few are compiled, as most cannot be."""
    return may_match(shape, name) and re.fullmatch(shape, name, flags) is not None
