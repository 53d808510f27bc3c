"""What several kinds of requests are given: paths, and arguments for a compiler."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import msgspec

from hipport.errors import UsageError

AnyPath: TypeAlias = "str | os.PathLike[str]"


class PathsRequest(msgspec.Struct, frozen=True):
    """A request about paths, which may be given without a keyword; all else is named."""

    paths: tuple[AnyPath, ...] = ()


def texts(paths: Iterable[AnyPath]) -> list[str]:
    """The paths as texts.

    Raises UsageError for an empty one: pathlib would take it for the current folder.
    """
    if isinstance(paths, (str, os.PathLike)):
        raise TypeError(f"paths is a tuple of paths, not {paths!r}: write ({paths!r},)")
    found = [os.fspath(each) for each in paths]
    if "" in found:
        raise UsageError("a path is empty", remedy="is the variable that it comes from set?")
    return found


def compiler_arguments(
    includes: tuple[str, ...], defines: tuple[str, ...], std: str
) -> tuple[str, ...]:
    """Folders, macros and the standard as a compiler takes them."""
    folders = (f"-I{Path(each).absolute()}" for each in includes)
    macros = (f"-D{each}" for each in defines)
    return (*folders, *macros, *([f"-std={std}"] if std else []))
