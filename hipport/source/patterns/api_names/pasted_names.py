"""CUDA names that a macro pastes together: no rename can see them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import FindingRule
from hipport.source.source_file import Unit
from hipport.source.text.brackets import word_before

_PASTED = re.compile(r"(?<!\w)\w+(?:\s*##\s*\w+)+")


def check(unit: Unit, rule: FindingRule) -> None:
    """Report each pasting whose first part begins like a CUDA name."""
    text = unit.code.code
    done = 0
    while (mark := text.find("##", done)) >= 0:
        done = mark + 2
        match = _PASTED.match(text, word_before(text, mark).start)
        if match is None:
            continue
        done = match.end()
        parts = re.split(r"\s*##\s*", match[0])
        known = any(part in unit.rules.names for part in parts)
        if known or unit.rules.stems.match(parts[0]):
            unit.report(rule.id, Span(*match.span()), "##".join(parts))
