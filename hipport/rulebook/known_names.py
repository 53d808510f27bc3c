"""The names of CUDA and its libraries. Of a wheel's rules, a start reads those of few libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat

_LENGTH = 3


def beginnings(libraries: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """First characters of names -> the libraries that have such, in their order."""
    found: dict[str, dict[str, None]] = {}
    for library, names in libraries.items():
        for name in names:
            found.setdefault(name[:_LENGTH], {})[library] = None
    return {beginning: list(each) for beginning, each in sorted(found.items())}


class KnownNames(Mapping[str, str]):
    """CUDA name -> its library, the first that has it.

    The names of a library are read when one is asked for that begins as one of them does.
    """

    def __init__(
        self,
        libraries: Sequence[str],
        begin: Mapping[str, Sequence[str]],
        read: Callable[[str], Iterable[str]],
    ) -> None:
        """`begin` are the beginnings of all names, with the libraries in the same order."""
        self._libraries, self._begin, self._read = libraries, begin, read
        self._names: dict[str, frozenset[str]] = {}

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        for library in self._begin.get(name[:_LENGTH], ()):
            if name in (self._names.get(library) or self._of(library)):
                return library
        return default

    def __repr__(self) -> str:
        return f"KnownNames({self._libraries})"

    def _of(self, library: str) -> frozenset[str]:
        found = self._names[library] = frozenset(self._read(library))
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __getitem__(self, name: str) -> str:
        library = self.get(name)
        if library is None:
            raise KeyError(name)
        return library

    @cached_property
    def _every(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for library in reversed(self._libraries):
            found.update(zip(self._read(library), repeat(library)))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)
