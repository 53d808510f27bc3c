"""Recognizes build files by name, and the kinds whose files may be ported to AMD already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cache, lru_cache

import msgspec

from hipport.rulebook.load import load

CONVERTED = ("cmake", "make", "shell")
"""Kinds whose files may have a branch for AMD; such files are left alone."""
EDITED = ("cmake", "make", "python")
"""Kinds that a conversion edits by default."""
SETUP, SETUP_KIND = "setup.py", "python"
LARGEST = 4 << 20
"""The largest build file that is converted, in bytes; people write smaller ones."""
_WILD = frozenset("*?[")


class Names(msgspec.Struct, frozen=True):
    """The names of a kind of files: whole ones, how others end and begin, and other shapes."""

    whole: frozenset[str]
    endings: tuple[str, ...]
    beginnings: tuple[str, ...]
    shapes: tuple[str, ...]

    def have(self, name: str) -> bool:
        # Most are no shapes: an expression for these need not be compiled.
        return (
            name in self.whole
            or name.endswith(self.endings)
            or name.startswith(self.beginnings)
            or (bool(self.shapes) and _any_of(self.shapes).match(name) is not None)
        )


@cache
def _any_of(shapes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, shapes)))


@cache
def _names(kinds: tuple[str, ...]) -> tuple[Names, dict[str, Names]]:
    """The names of all the kinds, and those of each."""
    shapes: dict[str, list[str]] = {}
    for shape, kind in load().file_kinds.other_files.items():
        if kind in kinds and "/" not in shape:
            shapes.setdefault(kind, []).append(shape)
    every = [shape for each in shapes.values() for shape in each]
    return names_of(every), {kind: names_of(each) for kind, each in shapes.items()}


def names_of(shapes: Iterable[str]) -> Names:
    """The names that have one of the shapes; there is none with a folder among them."""
    shapes = tuple(shapes)
    whole = [each for each in shapes if _WILD.isdisjoint(each)]
    endings = [each for each in shapes if each[0] == "*" and _WILD.isdisjoint(each[1:])]
    beginnings = [each for each in shapes if each[-1] == "*" and _WILD.isdisjoint(each[:-1])]
    others = (each for each in shapes if each not in (*whole, *endings, *beginnings))
    return Names(
        frozenset(whole),
        tuple(each[1:] for each in endings),
        tuple(each[:-1] for each in beginnings),
        tuple(others),
    )


def build_kind(name: str, kinds: tuple[str, ...]) -> str:
    """The kind of a build file by its name; "" for any other file."""
    plain = name.rpartition("/")[2]
    if plain.endswith(".py"):
        return SETUP_KIND if plain == SETUP and SETUP_KIND in kinds else ""
    every, by_kind = _names(kinds)
    if not every.have(plain):
        return ""
    return next(kind for kind, names in by_kind.items() if names.have(plain))


@lru_cache(maxsize=1024)
def is_build_file(name: str, kinds: tuple[str, ...]) -> bool:
    """Whether a name is one of those kinds."""
    return _names(kinds)[0].have(name)
