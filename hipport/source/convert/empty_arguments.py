"""Arguments without content: a null pointer, or the address of an empty structure."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.names.variables import variable
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences

_NULL = frozenset(("nullptr", "NULL", "0"))
_ADDRESS = regex(r"&\s*([A-Za-z_]\w*)\Z")
_EMPTY = ("{}", "{0}", "{0,}")


def says_nothing(unit: Unit, span: Span) -> bool:
    """Whether an argument can be dropped where HIP's function does not take it."""
    return unit.code.slice(span) in _NULL or _empty_variable(unit, span) is not None


def forget_variable(unit: Unit, span: Span, rule: str) -> None:
    """Remove the declaration of the empty structure whose address was the argument."""
    declaration = _empty_variable(unit, span)
    if declaration:
        unit.take_edits(declaration)
        first = unit.code.position(declaration.start).line
        last = unit.code.position(declaration.end - 1).line
        unit.findings = [each for each in unit.findings if not first <= each.start.line <= last]
        unit.edit(declaration.start, declaration.end, "", rule)


def _empty_variable(unit: Unit, span: Span) -> Span | None:
    """The lines that declare it, if it is local and the file names it nowhere else."""
    match = _ADDRESS.match(unit.code.slice(span))
    text = unit.code.code
    if not match or sum(1 for _ in occurrences(text, match[1])) != 2:
        return None
    found = variable(unit.declarations, match[1], span.start)
    if found is None or found.value is None or not found.is_alone or "*" in found.type:
        return None
    if Span(0, len(text)) in (unit.declarations.scope(found.name) or ()):
        return None  # Other files may use it.
    start = text.rfind("\n", 0, found.declaration.start) + 1
    end = text.find("\n", found.declaration.end) + 1
    around = text[start : found.declaration.start] + text[found.declaration.end : end]
    is_empty = "".join(text[slice(*found.value)].split()) in _EMPTY
    return Span(start, end) if is_empty and end and not around.strip() else None
