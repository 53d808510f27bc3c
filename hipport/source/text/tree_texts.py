"""The files of a tree, each read and blanked once for all passes over the tree."""

from __future__ import annotations

from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.source.text.source_text import Code

_LARGEST = 4 << 20
_MOST = 96 << 20
_BLANKED = 4
"""How many times its size a text takes once it has been blanked."""


class TreeTexts:
    """Remembers texts up to a bound of memory; those beyond it are read again each time."""

    def __init__(self, most: int = _MOST) -> None:
        self._left = most
        self._bytes: dict[str, bytes] = {}
        self._codes: dict[str, Code] = {}

    def read(self, name: str) -> bytes:
        """The bytes of a file; none where it is too large, or its conversion reports it."""
        if name in self._bytes:
            return self._bytes[name]
        try:
            data = read(Path(name), _LARGEST)
        except HipportError:
            data = b""
        if self._has_room(len(data)):
            self._bytes[name] = data
        return data

    def code(self, name: str) -> Code:
        """A file's code, outside comments and literals."""
        if name in self._codes:
            return self._codes[name]
        code = Code(self.read(name))
        if self._has_room(_BLANKED * len(code.data)):
            self._codes[name] = code
        return code

    def _has_room(self, size: int) -> bool:
        has_room = size <= self._left
        self._left -= size if has_room else 0
        return has_room
