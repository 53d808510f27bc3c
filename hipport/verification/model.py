"""The nouns of verification. Standard library only."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hipport.named_tuples import NamedTuple


class Place(NamedTuple):
    """A place in a file; `path` is "" and the line 0 where the compiler names none."""

    path: str
    line: int
    column: int = 0


class Unit(msgspec.Struct, frozen=True):
    """A file that is compiled. `arguments` leave out what belongs to a pass or the toolchain."""

    path: Path
    name: str
    """Its path in reports."""
    language: str
    """`hip`, `c++` or `c`, as clang's -x takes it."""
    arguments: tuple[str, ...] = ()
    folder: Path = Path()
    """The folder that its compiler runs in: relative paths of arguments begin there."""
    unknown: frozenset[str] = frozenset()
    """Macros that its build defines, with values that are not known or under such conditions."""


class Note(msgspec.Struct, frozen=True):
    place: Place
    text: str


class CompilerError(msgspec.Struct, frozen=True):
    """One error of one pass. `related` is where the user declares what its line names."""

    place: Place
    message: str
    notes: tuple[Note, ...] = ()
    related: tuple[Place, ...] = ()


class Skipped(NamedTuple):
    """Lines that the preprocessor left out, from the directive on."""

    path: str
    first: int
    last: int


class Parsed(msgspec.Struct):
    """The result of one pass over a unit; `problem` says why there is none.

    `target` is "" for the host.
    """

    unit: Unit
    target: str
    errors: list[CompilerError] = msgspec.field(default_factory=list)
    skipped: list[Skipped] = msgspec.field(default_factory=list)
    included: list[str] = msgspec.field(default_factory=list)
    """The headers outside the project that have errors."""
    problem: str = ""
