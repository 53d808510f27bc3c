"""Requests for more dynamic shared memory than a workgroup of most AMD GPUs has."""

from __future__ import annotations

import re

from hipport.model import Severity
from hipport.rulebook.device_features import workgroup_memory
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.source_file import Unit

_PRODUCT = re.compile(r"[\s(]*(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*[\s)]*")
_COMMON = 64 * 1024


class Keys(RuleKeys, frozen=True):
    attributes: Regex


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each request above what a workgroup has; to review, each whose size cannot be seen."""
    keys = rule.read(Keys)
    limit = workgroup_memory(unit.rules, unit.options.targets) or _COMMON
    for use in unit.of(rule.names):
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) != 3 or not counts(unit, rule, use.span.start):
            continue
        attribute, size = (
            unit.code.code[each.start : each.end].strip() for each in call.arguments[1:]
        )
        if not re.fullmatch(keys.attributes, attribute):
            continue
        number = _number(size)
        if number is None:
            reason = "the size cannot be seen here"
            words = {"reason": reason, "size": " ".join(size.split())}
            unit.report(rule.id, use.span, use.name, words, severity=Severity.REVIEW)
        elif number > limit:
            words = {"reason": f"{number} bytes are more", "size": str(number)}
            unit.report(rule.id, use.span, use.name, words)


def _number(text: str) -> int | None:
    """The value of a product of literals such as `96 * 1024`; None for anything else."""
    value = 1
    for factor in text.split("*"):
        if not _PRODUCT.fullmatch(factor):
            return None
        value *= int(factor.strip("() \t\r\nuUlL"), 0 if "x" in factor.lower() else 10)
    return value
