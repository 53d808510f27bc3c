"""#error lines that ask for CUDA: a port stops at them."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.patterns.preprocessor.device_guard import branches_left_out
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    says: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each #error whose text speaks of CUDA, and that HIP's compilers may reach."""
    keys = rule.read(Keys)
    for directive in unit.code.directives:
        text = unit.code.slice(directive.body)
        if directive.keyword != "error" or not counts(unit, rule, directive.span.start):
            continue
        left_out = branches_left_out(unit.code, unit.rules)
        if re.search(keys.says, text) and not unit.code.is_in(left_out, directive.span.start):
            unit.report(rule.id, directive.span, " ".join(text.split()).strip('"'))
