"""#error lines that ask for CUDA: a port stops at them."""

from __future__ import annotations

import re

from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import counts
from hipport.source.source_file import Unit


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each #error whose text speaks of CUDA."""
    for directive in unit.code.directives:
        text = unit.code.slice(directive.body)
        if directive.keyword != "error" or not counts(unit, rule, directive.span.start):
            continue
        if re.search(rule.data["says"], text):
            unit.report(rule.id, directive.span, " ".join(text.split()).strip('"'))
