"""What string literals of C++ and of Python say, and how other text is spelled in them."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.embedded_code import Piece
from hipport.source.text.source_text import Code

_RAW = regex(r'(?:u8)?R"([^()\\\s]{0,16})\((.*)\)\1"\Z', re.DOTALL)
_PLAIN = regex(r'(?:u8)?"(.*)"\Z', re.DOTALL)
_PYTHON = regex(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')(.*)\2\Z", re.DOTALL)
# [lex.ccon]: escape sequences; a spliced line ([lex.phases] 2) is nothing.
_ESCAPE = regex(
    r"\\(?:(?P<splice>\r?\n)|x(?P<hex>[0-9a-fA-F]+)|(?P<octal>[0-7]{1,3})|(?P<char>['\"?\\abfnrtv]))"
)
# The Python Language Reference, 2.4.1.1. A backslash before anything else stays in the text.
_PYTHON_ESCAPE = regex(
    r"\\(?:(?P<splice>\r?\n)|x(?P<hex>[0-9a-fA-F]{2})|(?P<octal>[0-7]{1,3})|(?P<char>['\"\\abfnrtv])"
    r"|(?P<kept>[^NuUx]))",
    re.DOTALL,
)
_CHARACTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_SPELLED = {char: f"\\{name}" for name, char in _CHARACTERS.items()} | {"\\": "\\\\"}
_MOST_BYTE, _MOST_ASCII = 0xFF, 0x7F


def c_piece(outer: Code, literal: Span) -> Piece:
    """The text of a literal of C or C++; raises ValueError for one that is not of bytes."""
    text = outer.slice(literal)
    raw = _RAW.match(text)
    if raw:
        closing = f'){raw[1]}"'
        return _verbatim(raw[2], literal.start + raw.start(2), closing)
    plain = _PLAIN.match(text)
    if plain is None:
        raise ValueError("not a plain literal")
    chars, places = _decoded(plain[1], literal.start + plain.start(1), _ESCAPE, _MOST_BYTE)
    spelled = _SPELLED | {'"': '\\"'}
    return Piece(chars, places, lambda new: "".join(spelled.get(char, char) for char in new))


def python_piece(outer: Code, literal: Span) -> Piece:
    """The text of a literal of Python; raises ValueError for f-strings, and for `\\u` and `\\N`."""
    match = _PYTHON.match(outer.slice(literal))
    if match is None or set(match[1].lower()) & set("ft"):
        raise ValueError("not a plain literal")
    prefix, quote, inner = match.groups()
    start = literal.start + match.start(3)
    if "r" in prefix.lower():
        # What would need an escape cannot be written: a raw literal has none.
        if len(quote) == 1:
            return _verbatim(inner, start, quote, "\n", "\\")
        return _verbatim(inner, start, quote, ends=(quote[0], "\\"))
    chars, places = _decoded(inner, start, _PYTHON_ESCAPE, _MOST_ASCII)
    spelled = _SPELLED | {quote[0]: f"\\{quote[0]}"}
    if len(quote) > 1:
        spelled.pop("\n")
    return Piece(chars, places, lambda new: "".join(spelled.get(char, char) for char in new))


def as_written(outer: Code, literal: Span) -> Piece:
    """A literal of Python with its escapes and replacement fields as they are; no text goes in."""
    match = _PYTHON.match(outer.slice(literal))
    start = literal.start + (match.start(3) if match else 0)
    inner = match[3] if match else ""
    return Piece(inner, range(start, start + len(inner) + 1), lambda _: None)


def _verbatim(inner: str, start: int, *forbidden: str, ends: tuple[str, ...] = ()) -> Piece:
    """A raw literal, which can hold all text without what is forbidden there, or at its ends."""

    def written(new: str) -> str | None:
        is_held = not any(each in new for each in forbidden) and not new.endswith(ends)
        return new if is_held and not new.startswith(ends) else None

    return Piece(inner, range(start, start + len(inner) + 1), written)


def _decoded(inner: str, start: int, escape: re.Pattern[str], most: int) -> tuple[str, list[int]]:
    """What a text with escapes says, and where each character of it is."""
    chars: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(inner):
        place = at
        char = inner[at]
        at += 1
        if char == "\\":
            match = escape.match(inner, place)
            if match is None:
                raise ValueError("an escape that is no byte")
            found = match.groupdict()
            at = match.end()
            if found["splice"]:
                continue
            if found.get("kept"):
                at = place + 1
            elif found["char"]:
                char = _CHARACTERS.get(found["char"], found["char"])
            else:
                code = int(found["hex"] or found["octal"], 16 if found["hex"] else 8)
                if code > most:
                    raise ValueError("an escape that is no byte")
                char = chr(code)
        chars.append(char)
        places.append(start + place)
    places.append(start + len(inner))
    return "".join(chars), places
