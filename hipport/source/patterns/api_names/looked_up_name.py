"""String literals that name a CUDA function, in files that look functions up by name."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.patterns.pattern_matches import is_shown, statement_at
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each literal that is exactly a CUDA function's name, and not only shown."""
    for span in unit.code.literals:
        name = unit.code.text[span.start + 1 : span.end - 1]
        api = unit.rules.api(name)
        if not (api and api.kind == "function" and api.hip != name):
            continue
        if is_shown(unit, rule, span.start) or _is_called_before(unit, name, span.start):
            continue
        library = unit.rules.libraries[unit.rules.names[name]]
        words = {"hip": api.hip or "it has none", "library": library.file}
        unit.report(rule.id, Span(span.start + 1, span.end - 1), name, words)


def _is_called_before(unit: Unit, name: str, offset: int) -> bool:
    """Whether the statement around an offset has called the function: its name is for a message."""
    statement = unit.code.code[statement_at(unit, offset) : offset]
    return re.search(rf"\b{name}\s*\(", statement) is not None
