"""Arguments that say nothing: a null pointer, or the address of a variable without any values."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences

_NULL = frozenset(("nullptr", "NULL", "0"))
_ADDRESS = re.compile(r"&\s*([A-Za-z_]\w*)\Z")
_EMPTY = r"^[ \t]*(?:struct\s+)?[A-Za-z_]\w*\s+{}\s*(?:=\s*)?\{{\s*0?\s*,?\s*\}}\s*;[ \t]*\r?\n"


def says_nothing(unit: Unit, span: Span) -> bool:
    """Whether an argument may go where a function takes no such argument."""
    return unit.code.slice(span) in _NULL or _empty_variable(unit, span) is not None


def forget_variable(unit: Unit, span: Span, rule: str) -> None:
    """Take away the declaration of the variable without values whose address was the argument."""
    declaration = _empty_variable(unit, span)
    if declaration:
        unit.take_edits(declaration)
        first = unit.code.position(declaration.start).line
        last = unit.code.position(declaration.end - 1).line
        unit.findings = [each for each in unit.findings if not first <= each.start.line <= last]
        unit.edit(declaration.start, declaration.end, "", rule)


def _empty_variable(unit: Unit, span: Span) -> Span | None:
    """The lines that declare it, if the file names it nowhere else."""
    match = _ADDRESS.match(unit.code.slice(span))
    if not match or sum(1 for _ in occurrences(unit.code.code, match[1])) != 2:
        return None
    shape = _EMPTY.format(match[1])
    found = re.search(shape, unit.code.code[: span.start], re.MULTILINE)
    return Span(*found.span()) if found else None
