"""Counts syntax errors in build files, with the converter's readers and Python's parsers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hipport.model import Span
from hipport.source.languages.python_read_back import python_errors


def errors_in(kind: str, path: str) -> Callable[[bytes], int]:
    """A function that counts the syntax errors in a build file of a kind."""
    if kind == "python":
        return python_errors
    if kind == "cmake":
        return _of_json if path.endswith(".json") else _of_cmake
    return partial(_of_commands, kind)


def _of_json(data: bytes) -> int:
    import json

    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return 1
    return 0


def _of_cmake(data: bytes) -> int:
    from hipport.source.languages.cmake_syntax import errors

    return errors(data)


def _of_commands(kind: str, data: bytes) -> int:
    """The number of lines of a makefile or script with an unclosed quote."""
    from hipport.source.buildfiles.makefile_words import has_open_quote, lines_of, logical_lines

    if b'"' not in data and b"'" not in data:
        return 0
    text = data.decode("latin-1")
    if kind == "make":
        bodies = [line.body for line in lines_of(text)]
    else:
        bodies = [Span(start, end) for start, end in logical_lines(text)]
    return sum(has_open_quote(text, body) for body in bodies)
