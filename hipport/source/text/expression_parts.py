"""Of which parts a regular expression consists, as far as searches go by them.

Written for expressions of rules: of what none of them has, such as conditionals, nothing is known.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex

_TOKEN = regex(
    r"(?P<text>[^\\()\[\]{}|.^$*+?]+)"
    r"|(?P<category>\\[dDsSwW])"
    r"|(?P<place>[\^$]|\\[AZbB])"
    r"|(?P<reference>\\[1-9]\d?(?!\d)|\(\?P=\w+\)|\.)"
    r"|(?P<escape>\\[^a-zA-Z0-9]|\\[nrtfv]|\\x[0-9a-fA-F]{2})"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*+\])"
    r"|(?P<group>\((?:\?(?:P<\w+>|[:>]|i:|-i:))?(?!\?))"
    r"|(?P<assertion>\(\?<?[=!])"
    r"|(?P<close>\))"
    r"|(?P<way>\|)"
    r"|(?P<repeat>(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d*)\})[+?]?)"
    r"|(?P<bracket>[\]{}])"
    r"|(?P<unknown>.)",
    re.DOTALL,
)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}


class Characters(msgspec.Struct, frozen=True):
    """One character of a class such as `[^a-z]` or `\\d`."""

    written: str


class Anything(msgspec.Struct, frozen=True):
    """A text of which nothing is known."""


class WordEdge(msgspec.Struct, frozen=True):
    """A `\\b` at the beginning of a way."""


class Group(msgspec.Struct, frozen=True):
    """One of several ways."""

    ways: tuple[tuple[Part, ...], ...]
    is_folded: bool
    """Whether letters may have any case."""


class Repeat(msgspec.Struct, frozen=True):
    least: int
    part: Part


Part = str | Characters | Anything | WordEdge | Group | Repeat
"""A string is a fixed text. What else matches between characters is no part."""


class _Open:
    """A group, or the whole expression, up to where it has been read."""

    def __init__(self, begins: str) -> None:
        self.begins = begins
        self.ways: list[tuple[Part, ...]] = []
        self.parts: list[Part] = []
        self.may_repeat = False

    def add(self, part: Part) -> None:
        self.may_repeat = True
        last = self.parts[-1] if self.parts else None
        if isinstance(part, str) and isinstance(last, str):
            self.parts[-1] = last + part
        else:
            self.parts.append(part)

    def repeat(self, written: str) -> bool:
        """Repeat what was added last; False if that has no width."""
        if not self.may_repeat:
            return False
        last = self.parts.pop()
        if isinstance(last, str) and len(last) > 1:
            self.parts.append(last[:-1])
            last = last[-1]
        digits = written.lstrip("{").partition(",")[0].rstrip("}+?")
        least = int(digits) if digits.isdigit() else int(written[0] == "+")
        self.parts.append(Repeat(least, last))
        self.may_repeat = False
        return True

    def end_way(self) -> None:
        self.ways.append(tuple(self.parts))
        self.parts, self.may_repeat = [], False

    def closed(self) -> Group:
        self.end_way()
        return Group(tuple(self.ways), self.begins == "(?i:")


def _character(escape: str) -> str:
    """What an escape such as `\\.`, `\\n` or `\\x27` stands for."""
    if escape[1] == "x":
        return chr(int(escape[2:], 16))
    return _ESCAPED.get(escape[1], escape[1])


@lru_cache(maxsize=8)
def parts_of(pattern: str, flags: re.RegexFlag) -> Group | None:
    """The ways of an expression; None for one that ignores case, or has parts of other kinds.

    Several searches ask for it in a row.
    """
    if flags & (re.IGNORECASE | re.VERBOSE):
        return None
    opened = [_Open("")]
    for token in _TOKEN.finditer(pattern):
        kind, text, inner = token.lastgroup, token[0], opened[-1]
        if kind in ("text", "bracket"):
            inner.add(text)
        elif kind == "escape":
            inner.add(_character(text))
        elif kind in ("set", "category"):
            inner.add(Characters(text))
        elif kind == "reference":
            inner.add(Anything())
        elif kind == "place":
            inner.may_repeat = False
            if text == r"\b" and not inner.parts:
                inner.parts.append(WordEdge())
        elif kind in ("group", "assertion"):
            opened.append(_Open(text))
        elif kind == "way":
            inner.end_way()
        elif kind == "close" and len(opened) > 1:
            opened.pop()
            if inner.begins.endswith(("=", "!")):
                opened[-1].may_repeat = False
            else:
                opened[-1].add(inner.closed())
        elif kind != "repeat" or not inner.repeat(text):
            return None
    return opened[0].closed() if len(opened) == 1 else None


def starts_of_parts(pattern: str) -> list[int]:
    """Where the parts of an expression begin that is one sequence; none of any other.

    What follows one of them is an expression, too, but where a part refers to one before it.
    """
    starts: list[int] = []
    depth = 0
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        if (kind == "way" and not depth) or (kind == "reference" and token[0] != "."):
            return []
        if kind == "close":
            depth -= 1
        elif not depth and kind != "repeat":
            starts.append(token.start())
        if kind in ("group", "assertion"):
            depth += 1
    return starts


@lru_cache(maxsize=512)
def ways_of(pattern: str) -> tuple[str, ...]:
    """The expressions of which a text has a match of one where it has one of this."""
    ends: list[int] = []
    depth = 0
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        if kind == "unknown" or (kind == "reference" and token[0] != "."):
            return (pattern,)
        if kind == "way" and not depth:
            ends.append(token.start())
        depth += (kind in ("group", "assertion")) - (kind == "close")
    starts = (0, *(end + 1 for end in ends))
    return tuple(pattern[start:end] for start, end in zip(starts, (*ends, None), strict=True))
