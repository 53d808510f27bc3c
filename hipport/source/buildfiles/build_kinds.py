"""Recognizes build files by name, and the kinds whose files may be ported to AMD already."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache
from pathlib import PurePosixPath

from hipport.rulebook.load import load

CONVERTED = ("cmake", "make", "shell")
"""Kinds whose files may have a branch for AMD; such files are left alone."""
EDITED = ("cmake", "make", "python")
"""Kinds that a conversion edits by default."""
SETUP, SETUP_KIND = "setup.py", "python"
LARGEST = 4 << 20
"""The largest build file that is converted, in bytes; people write smaller ones."""


@cache
def _shapes(kinds: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    shapes: dict[str, list[str]] = {}
    for shape, kind in load().file_kinds.other_files.items():
        if kind in kinds:
            shapes.setdefault(kind, []).append(translate(shape))
    return [(kind, re.compile("|".join(each))) for kind, each in shapes.items()]


def build_kind(name: str, kinds: tuple[str, ...]) -> str:
    """The kind of a build file by its name; "" for any other file."""
    plain = PurePosixPath(name).name
    if plain.endswith(".py"):
        return SETUP_KIND if plain == SETUP and SETUP_KIND in kinds else ""
    return next((kind for kind, shapes in _shapes(kinds) if shapes.match(plain)), "")
