"""Scripts whose names say nothing: their kind by the interpreter that the first line names."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.rulebook.load import load

_FIRST_LINE = regex(
    rb"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?(?:[^\s/]*/)*([a-z]+)[\d.]*(?=\s|\Z)"
)
_LONGEST = 256


def kind_by_first_line(path: str) -> str:
    """The kind of a script by its first line; "" for another file, and one that nobody can read."""
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            found = _FIRST_LINE.match(file.read(_LONGEST))
    except OSError:
        return ""
    return load().file_kinds.interpreters.get(found[1].decode(), "") if found else ""
