"""What of a port a person wrote: statements of the HIP code that no conversion gives.

A statement ends at `;`, `{`, `}`, or with its directive, wherever the line ends. Comments and
`#include` are left out. Names for one vendor count as those for the other: a port in place need
not rename what is the program's own.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.tokens import Token, decode, tokens

_VENDOR = re.compile(
    r"cuda|hip|rocm|nvidia|amd|(?:cu|roc)(?=blas|sparse|rand|fft|solver|prim|tx)|nv(?=rtc|cc)|\bcu(?=[A-Z_])",
    re.IGNORECASE,
)
_BRACES = frozenset("{}")
_HEADS = frozenset(("if", "for", "while", "switch"))
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Statement(NamedTuple):
    text: str
    line: int
    """Where it begins."""


class Block(NamedTuple):
    """Statements from one index to another of two files."""

    is_equal: bool
    a1: int
    a2: int
    b1: int
    b2: int


class Change(NamedTuple):
    """A place of the CUDA code that a person changed: its lines, and the statements written."""

    first: int
    last: int
    written: int


def statements(data: bytes) -> list[Statement]:
    """The statements of a source file, with neutral names."""
    text = decode(data)
    continued = {n for n, line in enumerate(text.split("\n"), 1) if line.rstrip().endswith("\\")}
    found: list[Statement] = []
    pending: list[Token] = []
    directive = depth = 0
    for token in tokens(text):
        if token.kind == "comment":
            continue
        if directive and token.line > directive:
            if directive in continued:
                directive = token.line
            else:
                found += _statement(pending)
                pending, directive = [], 0
        if token.text.startswith("#") and _begins_line(pending, token):
            found += _statement(pending)
            pending, directive, depth = [], token.line, 0
        pending.append(token)
        depth = max(0, depth + (token.text == "(") - (token.text == ")"))
        if not directive and (token.text in _BRACES or (not depth and _ends(pending))):
            found += _statement(pending)
            pending, depth = [], 0
    return found + list(_statement(pending))


def _begins_line(pending: list[Token], token: Token) -> bool:
    return not pending or pending[-1].line < token.line


def _ends(pending: list[Token]) -> bool:
    """Whether a statement outside brackets is complete; the head of a loop or branch is one."""
    last = pending[-1].text
    return last in (";", "else", "do") or (last == ")" and pending[0].text in _HEADS)


def _statement(pending: list[Token]) -> Iterator[Statement]:
    """The statement of these tokens; braces around a single one are a matter of taste."""
    kept = [token for token in pending if token.text not in _BRACES]
    words = [token.text for token in kept]
    if words not in ([], [";"]) and words[:2] != ["#", "include"] and kept[0].kind != "include":
        yield Statement(_VENDOR.sub("gpu", " ".join(words)).lower(), kept[0].line)


def changes(cuda: bytes, converted: bytes, hip: bytes) -> list[Change]:
    """What a person changed, in lines of the CUDA code.

    Statements that the conversion changed are left out, whatever the port has in their place: the
    conversion has an answer of its own there. So are those that only stand elsewhere.
    """
    original, start, end = statements(cuda), statements(converted), statements(hip)
    lines, edited = _origins(original, start)
    hunks = [each for each in _difference(start, end) if not each.is_equal]
    gone = Counter(start[n].text for each in hunks for n in range(each.a1, each.a2))
    come = Counter(end[n].text for each in hunks for n in range(each.b1, each.b2))
    moved = gone & come
    found = []
    for _, a1, a2, b1, b2 in hunks:
        removed = [n for n in range(a1, a2) if not edited[n] and start[n].text not in moved]
        written = [n for n in range(b1, b2) if end[n].text not in moved]
        size = max(bool(removed), len(written) - sum(edited[a1:a2]))
        if size and lines:
            first, last = (
                lines[min(a1, len(lines) - 1)],
                lines[min(max(a1, a2 - 1), len(lines) - 1)],
            )
            found.append(Change(first, max(first, last), size))
    return found


def _origins(original: list[Statement], converted: list[Statement]) -> tuple[list[int], list[bool]]:
    """For each converted statement its line before, and whether the conversion wrote it."""
    lines: list[int] = []
    edited: list[bool] = []
    for is_equal, i1, i2, j1, j2 in _difference(original, converted):
        for number in range(j2 - j1):
            at = min(i1 + number, i2 - 1) if i2 > i1 else min(i1, len(original) - 1)
            lines.append(original[at].line if original else 1)
            edited.append(not is_equal)
    return lines, edited


def _difference(a: list[Statement], b: list[Statement]) -> Iterator[Block]:
    """The blocks of both that are equal, and those that are not, in order."""
    at_a = at_b = 0
    for a1, a2, b1, b2 in [*_hunks(a, b), (len(a), len(a), len(b), len(b))]:
        if a1 > at_a:
            yield Block(True, at_a, a1, at_b, b1)
        if a2 > a1 or b2 > b1:
            yield Block(False, a1, a2, b1, b2)
        at_a, at_b = a2, b2


def _hunks(a: list[Statement], b: list[Statement]) -> list[tuple[int, int, int, int]]:
    """What differs, by git: difflib takes minutes for a file of 5,000 statements."""
    if [each.text for each in a] == [each.text for each in b]:
        return []
    with tempfile.TemporaryDirectory() as folder:
        for name, side in (("a", a), ("b", b)):
            text = "".join(each.text.replace("\n", " ") + "\n" for each in side)
            Path(folder, name).write_text(text, "utf-8")
        command = ["git", "diff", "--no-index", "--histogram", "-U0", "a", "b"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = []
    for match in _HUNK.finditer(done.stdout):
        start_a, size_a, start_b, size_b = (int(1 if x is None else x) for x in match.groups())
        # Of nothing, git names the line before.
        a1, b1 = start_a - (size_a > 0), start_b - (size_b > 0)
        found.append((a1, a1 + size_a, b1, b1 + size_b))
    return found
