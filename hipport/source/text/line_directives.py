"""Marks in converted text the lines of the original, as compilers name them in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.model import Explanation
from hipport.source.text.include_directives import bom_length
from hipport.source.text.source_text import Code

_ENDS = (";", "{", "}")


def with_line_directives(new: bytes, edits: Iterable[Explanation], path: str) -> bytes:
    """The converted text with `#line` (C++20, [cpp.line]) where its lines leave the original's.

    The text begins with one that names the original. Further ones follow an edit that added or
    removed lines, as soon as a line ends in such a way that no directive, macro, comment or string
    goes on: until there, messages are a few lines off.
    """
    name = path.replace("\\", "\\\\").replace('"', '\\"').encode()
    code = Code(new)
    bom = bom_length(code.text)
    plain = code.code[bom:].split("\n")
    made = [b'#line 1 "%s"\n' % name]
    shifts = list(_shifts(edits))
    lines = new[bom:].split(b"\n")
    shift = said = 0
    for number, line in enumerate(lines, start=1):
        while shifts and number >= shifts[0][0] + shift + shifts[0][1]:
            shift += shifts.pop(0)[1]
        if shift != said and number > 1 and _is_complete(lines[number - 2], plain[number - 2]):
            made.append(b'#line %d "%s"\n' % (number - shift, name))
            said = shift
        made.append(line + b"\n" if number < len(lines) else line)
    return new[:bom] + b"".join(made)


def _shifts(edits: Iterable[Explanation]) -> Iterator[tuple[int, int]]:
    """From which line of the original on the lines of the result are how many further down."""
    for edit in edits:
        shift = edit.new.count("\n") - edit.old.count("\n")
        if shift:
            is_whole = edit.end.column == 1 and edit.new.endswith("\n")
            yield edit.end.line + (not is_whole), shift


def _is_complete(line: bytes, code: str) -> bool:
    """Whether a directive can follow the line; `code` is the line without comments and literals."""
    text = line.decode("latin-1").strip()
    if text.endswith("\\") or text != code.strip():
        return False
    return text.startswith("#") or text.endswith(_ENDS)
