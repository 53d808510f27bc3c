"""The names that the rulebook knows; a wheel has them in parts, read as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

_PART = msgspec.msgpack.Decoder(dict[str, str])


class KnownNames(Mapping[str, str]):
    """CUDA name -> its library.

    A part has the names with the same two last characters: a small file has words of a few parts
    only, while half of all names begin alike.
    """

    def __init__(
        self, found: Mapping[str, str], parts: Mapping[str, msgspec.Raw] | None = None
    ) -> None:
        """`found` has all names, or else `parts` do: ending -> what a wheel has of it."""
        self._found = dict(found)
        self._unread = dict(parts or {})

    def among(self, words: Iterable[str]) -> set[str]:
        """Those of the words that are known."""
        self._read({each[-2:] for each in words})
        return self._found.keys() & words

    def read_all(self) -> None:
        """Read the parts that nobody has asked for yet."""
        self._read(set(self._unread))

    def __getitem__(self, name: str) -> str:
        self._read({name[-2:]})
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._in_order)

    def __len__(self) -> int:
        return len(self._in_order)

    @cached_property
    def _in_order(self) -> list[str]:
        self.read_all()
        return sorted(self._found)

    def _read(self, endings: set[str]) -> None:
        for each in self._unread.keys() & endings:
            self._found.update(_PART.decode(self._unread.pop(each)))


def parts_of(names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The parts of all names, for a wheel."""
    found: dict[str, dict[str, str]] = {}
    for name, library in names.items():
        found.setdefault(name[-2:], {})[name] = library
    return found
