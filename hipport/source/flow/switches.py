"""Macros that a source sets for the headers that it includes, such as those of CUDA's runtime."""

from __future__ import annotations

from hipport.rulebook.model import ApiRule
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit


def is_set_too_late(unit: Unit, rule: ApiRule) -> bool:
    """Whether the compiler has read the header that asks for the macro before the first line.

    nvcc includes the runtime's header by itself in what it compiles: there, a macro that the source
    sets does nothing, and its counterpart would do something.
    """
    is_asked_first = rule.library in unit.rules.runtime_header.libraries
    return rule.kind == "switch" and is_asked_first and unit.language == "cuda"


def is_switch(unit: Unit, use: Use) -> bool:
    """Whether a macro is defined as nothing, or as a number."""
    directive = unit.code.directive_at(use.span.start)
    if directive is None:
        return False
    value = unit.code.code[use.span.end : directive.body.end].strip()
    return not value or value.isdigit()
