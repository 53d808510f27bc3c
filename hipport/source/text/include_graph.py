"""Which files of a tree include which of its headers."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from hipport.graph import Graph
from hipport.rulebook.rules import RuleSet
from hipport.source.text.tree_texts import TreeTexts

_INCLUDED = re.compile(rb"#[ \t]*(?:include|include_next|import)[ \t]*[<\"]([^>\"\n]+)[>\"]")
_Fact = TypeVar("_Fact", bound=Hashable)


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
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        names = dict.fromkeys(texts.answer(included, path))
        headers = dict.fromkeys(each for name in names for each in meant(name, path, by_name))
        if headers:
            # Tuples of shared strings: sets take six times the memory, in trees of many files.
            found[path] = tuple(headers)
    return found


def included(data: bytes, _: RuleSet) -> tuple[str, ...]:
    """The names that a file includes: a question about each file of a tree."""
    return tuple(map(sys.intern, included_names(data)))


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
    end = f"/{name.lstrip('./')}"
    found = [each for each in candidates if f"/{each}".endswith(end)]
    if len(candidates) == len(found) == 1:
        return found
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    return [beside] if beside in candidates else found


def with_users(facts: Mapping[str, frozenset[_Fact]], users: Graph) -> dict[str, frozenset[_Fact]]:
    """File -> the facts of it and of the headers that it includes, through others too."""
    every = list(frozenset[_Fact]().union(*facts.values()))
    bits = {fact: 1 << number for number, fact in enumerate(every)}
    known = {path: sum(map(bits.__getitem__, own)) for path, own in facts.items()}
    pending = list(known)
    while pending:
        header = pending.pop()
        for user in users.get(header, ()):
            before = known.get(user, 0)
            known[user] = before | known[header]
            if known[user] != before:
                pending.append(user)
    sets = {
        number: frozenset(fact for fact in every if bits[fact] & number)
        for number in set(known.values())
    }
    return {path: sets[number] for path, number in known.items()}
