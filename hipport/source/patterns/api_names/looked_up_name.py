"""String literals that name a CUDA function, in files that look functions up by name."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.source_file import Unit


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each literal that is exactly a CUDA function's name."""
    for span in unit.code.literals:
        name = unit.code.text[span.start + 1 : span.end - 1]
        api = unit.rules.api(name)
        if api and api.kind == "function" and api.hip != name:
            library = unit.rules.libraries[unit.rules.names[name]]
            words = {"hip": api.hip or "it has none", "library": library.file}
            unit.report(rule.id, Span(span.start + 1, span.end - 1), name, words)
