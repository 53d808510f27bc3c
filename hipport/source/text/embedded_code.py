"""Source text inside string literals: its text, and where each of its characters is in the file."""

from __future__ import annotations

import re
from bisect import bisect_right

from hipport.model import Edit, Position, Span
from hipport.source.text.source_text import Code

_RAW = re.compile(r'(?:u8)?R"([^()\\\s]{0,16})\((.*)\)\1"\Z', re.DOTALL)
_PLAIN = re.compile(r'(?:u8)?"(.*)"\Z', re.DOTALL)
# [lex.ccon]: escape sequences; a spliced line ([lex.phases] 2) is nothing.
_ESCAPE = re.compile(
    r"\\(?:(?P<splice>\r?\n)|x(?P<hex>[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|(?P<char>['\"?\\abfnrtv]))"
)
_CHARACTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_WRITTEN = {char: f"\\{name}" for name, char in _CHARACTERS.items()} | {
    '"': '\\"',
    "\\": "\\\\",
}


class Piece:
    """One literal of a concatenation: its text begins at `start` of the whole."""

    def __init__(self, start: int, text: str, places: list[int], delimiter: str | None) -> None:
        self.start = start
        self.text = text
        self.places = places
        self.delimiter = delimiter


class EmbeddedCode(Code):
    """The text of adjacent literals as a file of its own, whose positions are those outside."""

    def __init__(self, outer: Code, literals: list[Span]) -> None:
        self.outer = outer
        self.pieces: list[Piece] = []
        size = 0
        for literal in literals:
            piece = _piece(outer, literal, size)
            if piece is None:
                raise ValueError("not a plain literal")
            self.pieces.append(piece)
            size += len(piece.text)
        self._starts = [piece.start for piece in self.pieces]
        super().__init__("".join(piece.text for piece in self.pieces).encode("latin-1"))

    def position(self, offset: int) -> Position:
        return self.outer.position(self._place(offset))

    def _piece_at(self, offset: int) -> Piece:
        return self.pieces[max(0, bisect_right(self._starts, offset) - 1)]

    def _place(self, offset: int) -> int:
        piece = self._piece_at(offset)
        return piece.places[min(offset - piece.start, len(piece.text))]

    def outside(self, edit: Edit) -> Edit | None:
        """The edit of the literal that makes this edit of its text; None if none can."""
        start, end = edit.span
        piece = self._piece_at(start)
        if end > piece.start + len(piece.text):
            return None
        new = edit.new.decode("latin-1")
        if piece.delimiter is None:
            new = "".join(_WRITTEN.get(char, char) for char in new)
        elif f'){piece.delimiter}"' in new:
            return None
        place = piece.places[start - piece.start]
        until = piece.places[end - piece.start] if end > start else place
        return Edit(Span(place, until), new.encode("latin-1"), edit.rule)


def _piece(outer: Code, literal: Span, start: int) -> Piece | None:
    text = outer.slice(literal)
    raw = _RAW.match(text)
    if raw:
        first = literal.start + raw.start(2)
        return Piece(start, raw[2], [first + at for at in range(len(raw[2]) + 1)], raw[1])
    plain = _PLAIN.match(text)
    if plain is None:
        return None
    base = literal.start + plain.start(1)
    chars: list[str] = []
    places: list[int] = []
    at = 0
    inner = plain[1]
    while at < len(inner):
        place = at
        char = inner[at]
        if char == "\\":
            escape = _ESCAPE.match(inner, at)
            if escape is None:
                return None  # \u and what is unknown
            at = escape.end()
            if escape["splice"]:
                continue
            number = escape["hex"] or escape["octal"]
            code = int(number, 16 if escape["hex"] else 8) if number else 0
            if code > 0xFF:
                return None
            char = chr(code) if number else _CHARACTERS.get(escape["char"], escape["char"])
        else:
            at += 1
        chars.append(char)
        places.append(base + place)
    places.append(base + len(inner))
    return Piece(start, "".join(chars), places, None)
