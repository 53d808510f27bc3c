"""The TOML files of rules/; a wheel has them as one file too, read in a tenth of the time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hipport.lazy_regex import regex
from hipport.rulebook.edition import rules_folder
from hipport.rulebook.finding_rules import FindingRule, finding_rule
from hipport.rulebook.rewrite_rules import RewriteRule, rewrite_rules
from hipport.rulebook.typed import read_toml, typed

_Shape = TypeVar("_Shape")
# Not `^`, which the search would try at each character instead of looking for a line's end.
_FIRST_COLUMN = regex(r"\n([^\t]+)\t")
HEADERS, REWRITES = "headers.tsv", "rewrites"
NAMES, NAMESPACES, FINDING_INDEX = "names", "namespaces", "finding index"
"""Under which names a wheel has what a checkout works out."""
_FINDING = msgspec.msgpack.Decoder(FindingRule)


class Tables:
    """The TOML files of a folder, by their paths in it; without a folder, of the installed one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder or rules_folder()
        self._compact = {} if folder else _compact()

    def read(self, name: str, shape: type[_Shape]) -> _Shape:
        """A file as a structure; RuleError if it does not fit."""
        if name in self._compact:
            return msgspec.msgpack.decode(self._compact[name], type=shape)
        place = f"rules/{name}"
        return typed(read_toml(self._folder / name, place), shape, place)

    def finding(self, name: str) -> FindingRule:
        """The finding that a file of checks/ describes; RuleError if it is malformed."""
        if name in self._compact:
            return _FINDING.decode(self._compact[name])
        return finding_rule(f"{self._folder}/{name}", f"rules/{name}")

    def rows(self, name: str) -> Iterator[list[str]]:
        """The rows of a .tsv file, without its heading, each padded to the heading's length."""
        known = self.of_wheel(name, list[list[str]]) if name == HEADERS else None
        return iter(known or rows_of((self._folder / name).read_bytes().decode()))

    def of_wheel(self, name: str, shape: type[_Shape]) -> _Shape | None:
        """What a wheel has under a name, as a structure."""
        made = self._compact.get(name)
        return msgspec.msgpack.decode(made, type=shape) if made else None

    def rewrites(self) -> list[RewriteRule]:
        """The rewrites, in the order in which they run; RuleError if one is malformed."""
        known = self.of_wheel(REWRITES, list[RewriteRule])
        return _rewrites(self) if known is None else known

    def below(self, top: str) -> list[str]:
        """The files below a folder, sorted."""
        every = self._compact or self._walk(top)
        return sorted(each for each in every if each.startswith(f"{top}/"))

    def _walk(self, top: str) -> Iterator[str]:
        start = len(str(self._folder)) + 1
        for at, _, names in os.walk(f"{self._folder}/{top}"):
            below = at[start:].replace(os.sep, "/")
            yield from (f"{below}/{name}" for name in names if name.endswith(".toml"))


class LibraryTexts(dict[str, str]):
    """The files of rules/api by the names of their libraries, each read when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __missing__(self, library: str) -> str:
        text = self[library] = (self._folder / f"{library}.tsv").read_bytes().decode()
        return text


def first_column(text: str) -> list[str]:
    """The first column of a .tsv file's lines, without its heading."""
    return _FIRST_COLUMN.findall(text)


def compact_file(folder: Path) -> Path:
    """Where all tables of a folder are together, if it is the folder of a wheel."""
    return folder.with_suffix(".msgpack")


def rows_of(text: str) -> Iterator[list[str]]:
    """The rows of a .tsv file without its heading, each padded to the heading's length."""
    heading, *lines = text.splitlines()
    tabs = heading.count("\t")
    for line in lines:
        yield (line + "\t" * (tabs - line.count("\t"))).split("\t")


def _rewrites(tables: Tables) -> list[RewriteRule]:
    names = tables.below(REWRITES)
    return rewrite_rules({each: tables.read(each, dict[str, Any]) for each in names})


@cache
def _compact() -> Mapping[str, bytes]:
    try:
        data = compact_file(rules_folder()).read_bytes()
    except FileNotFoundError:
        return {}
    return msgspec.msgpack.decode(data, type=dict[str, bytes])
