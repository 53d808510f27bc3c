"""CUDA sources that rely on nvcc to include cuda_runtime.h."""

from __future__ import annotations

import re

from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit


class Keys(RuleKeys, frozen=True):
    standard: Regex
    template: Regex
    """What a template for code has."""
    include: Regex
    mangled: Regex
    """A kernel whose name depends on its parameters, or an ordinary function or variable."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first name of the runtime in a source that includes only standard headers.

    Not in a template, which another file completes, nor in a text of kernels for run-time
    compilation: it includes nothing, and all its kernels are called by their plain names.
    """
    keys = rule.read(Keys)
    if not unit.path.endswith(".cu") or re.search(keys.template, unit.code.text):
        return
    if not re.search(keys.include, unit.code.code) and not re.search(keys.mangled, unit.code.text):
        return
    for directive in unit.code.directives:
        included = unit.code.slice(directive.body).strip()
        is_include = directive.keyword.startswith(("include", "import"))
        if is_include and not re.match(keys.standard, included):
            return
    for use in unit.of(rule.names):
        if not use.qualifier and counts(unit, rule, use.span.start):
            unit.report(rule.id, use.span, use.name)
            return
