"""cooperative_groups::reduce, under any alias of the namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.rulebook.rules import FindingRule
from hipport.source.patterns.run_checks import qualified
from hipport.source.source_file import Unit, Use


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each call of the reduction by its qualified name."""
    for use in reductions(unit, rule):
        rocm = ".".join(map(str, unit.options.rocm))
        span = qualified(unit.code.code, use.span)
        unit.report(rule.id, span, f"{use.qualifier}::{use.name}", {"rocm": rocm})


def reductions(unit: Unit, rule: FindingRule) -> Iterator[Use]:
    """Each such name."""
    namespace = rule.data["namespace"]
    aliases = set(re.findall(rf"\bnamespace\s+(\w+)\s*=\s*(?:::)?{namespace}\s*;", unit.code.code))
    for use in unit.of(rule.names):
        if use.qualifier == namespace or use.qualifier in aliases:
            yield use
