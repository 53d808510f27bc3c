"""What a compiler found out about the names in one file: plain data for the converter."""

from __future__ import annotations

from functools import cached_property

import msgspec


class Semantics(msgspec.Struct, frozen=True):
    """Where a name refers to CUDA's own declaration, and where to a user declaration.

    What is in neither was not resolved: there syntax decides.
    """

    vendor: tuple[int, ...] = ()
    """Byte offsets of names that CUDA's headers declare."""
    own: tuple[tuple[int, str], ...] = ()
    """(byte offset, `file:line` of the declaration) of names that the user declares."""
    arguments: tuple[tuple[int, str], ...] = ()
    """(byte offset, class) of arguments that are converted by their types."""
    types: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """(byte offset, names of its type) of variables that are arguments of CUDA's functions."""
    problem: str = ""
    """Why the file did not compile; then there is only what no error can change."""


class Meanings:
    """The semantics of a file, looked up by offset."""

    def __init__(self, semantics: Semantics | None) -> None:
        self.semantics = semantics or Semantics()

    @cached_property
    def vendor(self) -> set[int]:
        return set(self.semantics.vendor)

    @cached_property
    def own(self) -> dict[int, str]:
        """Offset -> where the user declares the name."""
        return dict(self.semantics.own)

    @cached_property
    def arguments(self) -> dict[int, str]:
        """Offset of an argument -> what it is, in the words of semantic/argument_types.py."""
        return dict(self.semantics.arguments)

    @cached_property
    def types(self) -> dict[int, tuple[str, ...]]:
        """Offset of a variable -> its type as it is declared, and without aliases."""
        return dict(self.semantics.types)

    def confirm(self, start: int, end: int) -> bool:
        """Whether a name of CUDA's begins in the range."""
        if not self.vendor:
            return False
        if end - start > 256:
            return any(start <= each < end for each in self.semantics.vendor)
        return any(each in self.vendor for each in range(start, end))


NO_MEANINGS = Meanings(None)
