"""Which files the audit reads, which only in part, and why: every report says so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hipport.lazy_regex import regex
from hipport.model import Position
from hipport.source.layouts.usual_form import usual_form
from hipport.source.text.long_lines import long_line, plain_ends

if TYPE_CHECKING:
    from hipport.source.audit.notebook_parts import Part

_LONGEST_LINE = 1 << 18
_LOOK = 1 << 16
# What editors leave in text: tab, newline, form feed, carriage return, escape.
_CONTROL = bytes({*range(32), 127}.difference(b"\t\n\f\r\x1b"))
_MOST_CONTROL = 0.02
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BROKEN_PYTHON = "broken Python in line {}: findings around it may be missing"
# cmake-language(7): bracket comments and arguments, quoted arguments, line comments, the rest.
_CMAKE = regex(
    rb"#?\[(?P<eq>=*)\[.*?(?:\](?P=eq)\]|(?P<bracket>\Z))"
    rb'|"(?:[^"\\]|\\.)*(?:"|(?P<quote>\Z))'
    rb"|#[^\n]*|\\.|(?P<open>\()|(?P<close>\))",
    re.DOTALL,
)


def why_unreadable(data: bytes, *, is_parsed: bool) -> str:
    """Why a file cannot be text that a person wrote; "" if it may be.

    What is parsed has short lines; others are searched as far as `cut_lines` says.
    """
    if data.startswith(_UTF_16):
        return "UTF-16 text (save it as UTF-8)"
    if b"\0" in data:
        return "binary data in a text file"
    if b"\r" in data and b"\n" not in data:
        return "lines that end in CR alone (save it with LF or CRLF)"
    head = data[:_LOOK]
    if len(head) - len(head.translate(None, _CONTROL)) > _MOST_CONTROL * len(head):
        return "binary data in a text file"
    if is_parsed and long_line(data, _LONGEST_LINE):
        return f"a line above {_LONGEST_LINE:,} bytes, too long to be written by hand"
    return ""


def why_in_part(data: bytes, kind: str) -> str:
    """Which part of a file could not be understood, and where; "" if none is known."""
    if kind == "cmake":
        return _cmake_fault(data)
    if kind == "python" and (line := _fault_line_of_python(data)):
        return _BROKEN_PYTHON.format(line)
    return ""


def why_in_part_of_notebook(parts: Iterable[Part]) -> str:
    """The same of the cells of a notebook."""
    python = next((each for each in parts if each.kind == "python"), None)
    if python and (line := _fault_line_of_python(python.text)):
        return _BROKEN_PYTHON.format(python.place(Position(line, 1)).line)
    return ""


def _cmake_fault(data: bytes) -> str:
    """The parenthesis or quotation mark of a CMake file that has no match."""
    opened: list[int] = []
    for match in _CMAKE.finditer(data):
        if match["quote"] is not None or match["bracket"] is not None:
            return f"broken CMake: what opens in line {_line(data, match.start())} is never closed"
        if match["open"]:
            opened.append(match.start())
        elif match["close"]:
            if not opened:
                return f"broken CMake: `)` without `(` in line {_line(data, match.start())}"
            opened.pop()
    if opened:
        return f"broken CMake: `(` in line {_line(data, opened[-1])} is never closed"
    return ""


def _fault_line_of_python(data: bytes) -> int:
    """The line in which Python stops parsing; 0 also for a file that was not parsed."""
    import sys

    python = sys.modules.get("hipport.source.languages.python_syntax")
    if python is None:
        return 0
    usual = usual_form(plain_ends(data), "", "python")
    line = int(python.fault_line(usual.data)) if usual else 0
    return usual.old_line(line) if usual and line else int(python.fault_line(data))


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
