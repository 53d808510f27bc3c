"""The comment that hides a finding, where a person writes the reason into it."""

from __future__ import annotations

from msgspec.structs import replace

from hipport.lsp.checked_text import SOURCES, CheckedText
from hipport.model import Finding, Position, Span
from hipport.rulebook.load import load
from hipport.source.convert.suppressions import kept

REASON = "say why"


def suppression(checked: CheckedText, finding: Finding) -> tuple[Span, str] | None:
    """Where to insert which comment; None where none can be: inside a string, or in JSON.

    It is tried with the function that reads such comments.
    """
    data = checked.text.data
    start = checked.text.offset_of(finding.start)
    words = f"hipport: ignore[{finding.code}]: {REASON}"
    placed = _behind if checked.kind in SOURCES else _above
    found = placed(data, start, words, checked.kind)
    if found is None:
        return None
    at, comment = found
    new = data[:at] + comment.encode() + data[at:]
    moved = Position(finding.start.line + comment.count("\n"), finding.start.column)
    rules = load(is_audit=True) if checked.rules is None else checked.rules
    shown = kept(new, [replace(finding, start=moved)], checked.name, checked.kind, rules)
    is_hidden = all(each.code != finding.code for each in shown)
    return (Span(at, at), comment) if is_hidden else None


def _behind(data: bytes, start: int, words: str, _: str) -> tuple[int, str]:
    """At the end of the line; before the backslash of a macro that goes on in the next one."""
    end = data.find(b"\n", start)
    end = len(data) if end < 0 else end
    if data[:end].endswith(b"\r"):
        end -= 1
    if not data[:end].endswith(b"\\"):
        return end, f"  // {words}"
    end -= 1
    blank = "" if data[:end].endswith(b" ") else " "
    return end, f"{blank}/* {words} */ "


def _above(data: bytes, start: int, words: str, kind: str) -> tuple[int, str] | None:
    """On a line of its own: behind a command, or the value of a variable, it may be part of it."""
    line = data.rfind(b"\n", 0, start) + 1
    before = data[:line].rstrip(b"\r\n")
    if before.endswith(b"\\") and line:
        return None
    text = data[line:start]
    # In a makefile, a comment that a tab precedes is a command.
    indent = b"" if kind == "make" else text[: len(text) - len(text.lstrip())]
    newline = "\r\n" if b"\r\n" in data else "\n"
    return line, f"{indent.decode('utf-8', 'replace')}# {words}{newline}"
