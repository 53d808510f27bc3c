"""How the CMake files and makefiles of a tree compile each of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from hipport.lazy_regex import regex
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import clang_arguments
from hipport.verification.build_flags import (
    CXX,
    HIP,
    C,
    LeftOut,
    Words,
    kept,
    plain,
    without_contradictions,
)
from hipport.verification.cmake_run import NAME
from hipport.verification.cmake_settings import CMakeTree
from hipport.verification.makefile_settings import NAMES, Makefile

_MACRO = regex(r"-D(\w+)(?:=|$)", re.ASCII)
_LANGUAGES = {".cu": HIP, ".hip": HIP, ".c": C}


def build_files(files: Iterable[Path]) -> set[Path]:
    """The files of a tree; for a file that is named, also the build files beside it."""
    found = {plain(each) for each in files}
    if len(found) == 1:
        folder = next(iter(found)).parent
        found |= {folder / name for name in (NAME, *NAMES) if (folder / name).is_file()}
    return found


class Builds:
    """The build files among the files of a tree, all with absolute paths."""

    def __init__(self, files: Iterable[Path]) -> None:
        files = set(files)
        self._cmake = CMakeTree(files)
        self._files = files
        self._makefiles: dict[Path, Makefile | None] = {}
        self._torn: dict[str, None] = {}
        self._unknown: frozenset[str] = frozenset()
        self._counted = 0

    def arguments(self, source: Path) -> tuple[str, ...]:
        """Arguments for clang, from the CMake files above a source, else from makefiles."""
        source = plain(source)
        language = _LANGUAGES.get(source.suffix, CXX)
        found = self._cmake.words(source, language) or self._of_makefiles(source, language)
        made: list[str] = []
        for folder, group in groupby(found, key=lambda each: each.folder):
            translated, _ = clang_arguments(load(), [word for each in group for word in each.words])
            made += kept(translated, folder, lambda path: path)
        is_c = language == C
        made = [e for e in made if not (e.startswith("-std=") and ("++" in e) == is_c)]
        made, torn = without_contradictions(made)
        self._torn.update(dict.fromkeys(torn))
        return tuple(made)

    def _of_makefiles(self, source: Path, language: str) -> list[Words]:
        """The settings from the nearest makefile that has any."""
        for folder in source.parents:
            if folder not in self._makefiles:
                places = (folder / name for name in NAMES if folder / name in self._files)
                path = next(places, None)
                self._makefiles[folder] = Makefile(path, self._files) if path else None
            words = made.words if (made := self._makefiles[folder]) else ()
            if found := [each for each in words if language in each.languages and each.words]:
                return found
        return []

    def unknown(self) -> frozenset[str]:
        """The macros among the arguments left out so far."""
        words = [*self._torn, *(each.text for each in self._left())]
        if len(words) != self._counted:
            self._counted = len(words)
            found = (match for word in words if (match := _MACRO.match(word)))
            self._unknown = frozenset(match[1] for match in found)
        return self._unknown

    def _left(self) -> list[LeftOut]:
        trees: list[CMakeTree | Makefile] = [self._cmake]
        trees += [each for each in self._makefiles.values() if each]
        return [each for tree in trees for each in tree.left]

    def lines(self) -> Iterator[str]:
        """What was left out, as a sentence for people."""
        why = "its value, or whether it counts, is unknown"
        for each in self._left():
            yield f"{each.path}:{each.line}: {each.text} is left out: {why}"
        for word in self._torn:
            yield f"{word} is left out: the build gives that macro several values"
