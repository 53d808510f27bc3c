"""Integer operators on CUdeviceptr, an integer in CUDA whose HIP counterpart is `void *`."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.checks import counts
from hipport.source.rules import FindingRule
from hipport.source.tokens import skip
from hipport.source.unit import Unit

_DECLARED = re.compile(r"\s+(?:const\s+)?([A-Za-z_]\w*)\s*(?=[=;,){\[])")
# Clang lets `void *` be added to, in bytes, as other compilers with GNU extensions do.
_OPERATOR = r"(?:[%^]=?|\|(?!\|)=?|<<|>>|&(?!&)=?)"


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each line that applies an integer operator to a variable of the type."""
    text = unit.code.code
    names = {
        match[1] for use in unit.of(rule.names) if (match := _DECLARED.match(text, use.span.end))
    }
    if not names:
        return
    alternatives = "|".join(sorted(names))
    shape = re.compile(rf"(?<![\w.>])(?P<name>{alternatives})\s*(?P<operator>{_OPERATOR})")
    lines: set[int] = set()
    for match in shape.finditer(text):
        line = unit.code.position(match.start()).line
        operand = skip(text, match.end())
        if line in lines or text[operand : operand + 1] in (";", ")", ",", match["operator"][0]):
            continue
        if unit.code.directive_at(match.start()) is None and counts(unit, rule, match.start()):
            lines.add(line)
            span = Span(*match.span("name"))
            symbol = " ".join(unit.code.slice(Span(*match.span())).split())
            unit.report(rule.id, span, symbol, {"name": match["name"]})
