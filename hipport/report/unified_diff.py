"""The change of one file as a unified diff that `patch -p1` applies.

The two texts are compared piece by piece, so that time grows with their size alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

from hipport.lazy_regex import regex

_LINE = regex(rb"[^\n]*\n|[^\n]+")
_PIECE = 200
_CONTEXT = 3

Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""What to do, the lines of the old text, the lines of the new; as in difflib."""


def diff(path: str, old: bytes, new: bytes, *, is_new: bool = False) -> Iterator[bytes]:
    """The lines of the diff, none where nothing changed. Only a line feed ends a line.

    `is_new` says that there is no old file.
    """
    if old == new:
        return
    one, two = _LINE.findall(old), _LINE.findall(new)
    # A tab ends a name that holds blanks: GNU diffutils manual, "Unusual Characters in File Names".
    end = "\t" if " " in path else ""
    before = f"a/{path}{end}" if not is_new else "/dev/null"
    yield f"--- {before}\n+++ b/{path}{end}\n".encode()
    for group in _Piecewise(one, two).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n".encode()
        for tag, start, stop, new_start, new_stop in group:
            mark = b" " if tag == "equal" else b"-"
            yield from (_marked(mark, line) for line in one[start:stop])
            if tag != "equal":
                yield from (_marked(b"+", line) for line in two[new_start:new_stop])


class _Piecewise(SequenceMatcher[bytes]):
    """A SequenceMatcher that compares two texts piece by piece."""

    def __init__(self, one: list[bytes], two: list[bytes]) -> None:
        super().__init__(a=[], b=[])
        self._texts = one, two

    def get_opcodes(self) -> list[Opcode]:
        return list(_merged(_opcodes(*self._texts)))


def _opcodes(one: list[bytes], two: list[bytes]) -> Iterator[Opcode]:
    at, new_at = 0, 0
    while at < len(one) or new_at < len(two):
        pieces = one[at : at + _PIECE], two[new_at : new_at + _PIECE]
        is_last = at + _PIECE >= len(one) and new_at + _PIECE >= len(two)
        opcodes = SequenceMatcher(None, *pieces).get_opcodes()
        if not is_last and len(opcodes) > 1 and opcodes[-1][0] != "equal":
            opcodes.pop()  # It may match what follows the pieces.
        for tag, start, stop, new_start, new_stop in opcodes:
            yield tag, at + start, at + stop, new_at + new_start, new_at + new_stop
        at, new_at = at + opcodes[-1][2], new_at + opcodes[-1][4]


def _merged(opcodes: Iterator[Opcode]) -> Iterator[Opcode]:
    """The opcodes, with those that say the same of adjacent lines made one."""
    last: Opcode | None = None
    for each in opcodes:
        is_equal = each[0] == "equal"
        if last and (last[0] == "equal") == is_equal:
            last = ("equal" if is_equal else "replace", last[1], each[2], last[3], each[4])
            continue
        if last:
            yield last
        last = each
    if last:
        yield last


def _range(start: int, stop: int) -> str:
    """Lines as a hunk's head names them: POSIX diff, "Diff -u or -U Output Format"."""
    if stop - start == 1:
        return str(start + 1)
    return f"{start + 1 if stop > start else start},{stop - start}"


def _marked(mark: bytes, line: bytes) -> bytes:
    end = b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n"
    return mark + line + end
