"""Which files of a tree include which of its headers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from hipport.graph import Graph, reached
from hipport.source.text.tree_texts import TreeTexts

_INCLUDED = re.compile(rb"#[ \t]*(?:include|include_next|import)[ \t]*[<\"]([^>\"\n]+)[>\"]")
_Fact = TypeVar("_Fact", bound=Hashable)


def by_tree(files: Iterable[tuple[Path, Path]]) -> dict[Path, list[str]]:
    """Tree -> the POSIX paths of its files, which are given each after its tree."""
    found: dict[Path, list[str]] = {}
    for root, path in files:
        found.setdefault(root, []).append(path.as_posix())
    return found


def included_headers(paths: Iterable[str], texts: TreeTexts) -> Graph:
    """File -> the headers of the tree that it includes, under conditions too.

    A header is looked for beside the file that includes it, else anywhere in the tree by the end
    of its path: only the build knows in which folders. Several passes over a tree ask for it: it
    is kept with the texts.
    """
    paths = tuple(paths)
    if paths not in texts.graphs:
        texts.graphs[paths] = _included_headers(paths, texts)
    return texts.graphs[paths]


def _included_headers(paths: tuple[str, ...], texts: TreeTexts) -> Graph:
    by_name = by_last_name(paths)
    found: dict[str, frozenset[str]] = {}
    for path in paths:
        names = texts.included[path] = frozenset(included_names(texts.read(path)))
        headers = frozenset(each for name in names for each in meant(name, path, by_name))
        if headers:
            found[path] = headers
    return found


def included_names(data: bytes) -> list[str]:
    """The names that a file includes, in the order of its lines, under conditions too."""
    return [each.decode("latin-1") for each in _INCLUDED.findall(data)]


def by_last_name(paths: Iterable[str]) -> Mapping[str, list[str]]:
    """Last part of a path -> the paths that end in it."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def meant(name: str, path: str, by_name: Mapping[str, list[str]]) -> list[str]:
    """The files of the tree that an include of `name` in the file `path` can mean."""
    candidates = by_name.get(name.rpartition("/")[2], [])
    if not candidates:
        return []
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    end = f"/{name.lstrip('./')}"
    found = [each for each in candidates if f"/{each}".endswith(end)]
    return [beside] if beside in candidates else found


def with_users(facts: Mapping[str, frozenset[_Fact]], users: Graph) -> dict[str, frozenset[_Fact]]:
    """File -> the facts of it and of the headers that it includes, through others too."""
    found: dict[str, set[_Fact]] = {}
    for header, known in facts.items():
        for user in reached(users, (header,)):
            found.setdefault(user, set()).update(known)
    return {path: frozenset(known) for path, known in found.items()}
