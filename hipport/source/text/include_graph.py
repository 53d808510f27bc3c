"""Which files of a tree include which of its headers."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import filterfalse
from typing import TypeVar

from hipport.graph import reached, turned
from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.text.tree_texts import TreeTexts

_INCLUDED = regex(rb"#[ \t]*(?:include|include_next|import)[ \t]*[<\"]([^>\"\n]+)[>\"]")
_Fact = TypeVar("_Fact", bound=Hashable)


def include_graph(paths: Iterable[str], texts: TreeTexts) -> IncludeGraph:
    """The graph of these files: kept with the texts, as several passes over a tree ask for it."""
    paths = tuple(paths)
    graph: IncludeGraph | None = texts.graphs.get(paths)
    if graph is None:
        graph = texts.graphs[paths] = IncludeGraph(paths, texts)
    return graph


class IncludeGraph:
    """The files of a tree, and the headers of the tree that each includes, under conditions too.

    A header is looked for beside the file that includes it, else anywhere in the tree by the end
    of its path: only the build knows in which folders. A name that can mean several files is a
    node between them and the files that include it: a tree may have hundreds of copies of both.
    """

    def __init__(self, paths: tuple[str, ...], texts: TreeTexts) -> None:
        self._paths = frozenset(paths)
        self._by_last_name: dict[str, list[str]] = {}
        for path in paths:
            self._by_last_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._ends: dict[str, tuple[str, ...]] = {}
        self._headers: dict[str, tuple[str, ...]] = {}
        for path in paths:
            names = dict.fromkeys(texts.answer(included, path))
            nodes = dict.fromkeys(node for name in names if (node := self.node(name, path)))
            if nodes:
                # Tuples of shared strings: sets take six times the memory, in trees of many files.
                self._headers[path] = tuple(nodes)

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        return turned(self._headers)

    def node(self, name: str, path: str) -> str:
        """What an include of `name` in the file `path` means, for `files`; "" for no file."""
        candidates = self._by_last_name.get(name.rpartition("/")[2], ())
        if not candidates:
            return ""
        end = f"/{name.lstrip('./')}"
        found = self._ends.get(end)
        if found is None:
            found = tuple(each for each in candidates if f"/{each}".endswith(end))
            self._ends[end] = found
        if len(candidates) == len(found) == 1:
            return found[0]
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if beside in self._paths:
            return beside
        if len(found) < 2:
            return found[0] if found else ""
        self._headers[f"{end}/"] = found
        return f"{end}/"

    def files(self, node: str) -> tuple[str, ...]:
        """The files of the tree that an include can mean."""
        return self._headers[node] if _is_name(node) else (node,)

    def users(self, path: str) -> Iterator[str]:
        """The files that include a file themselves."""
        for each in self._users.get(path, ()):
            yield from self._users.get(each, ()) if _is_name(each) else (each,)

    def headers(self, path: str) -> Iterator[str]:
        """The headers that a file includes itself."""
        for each in self._headers.get(path, ()):
            yield from self.files(each)

    def is_included(self, path: str) -> bool:
        return path in self._users

    def with_headers(self, paths: Iterable[str]) -> set[str]:
        """The files, and the headers that they include, through others too."""
        return set(filterfalse(_is_name, reached(self._headers, paths)))

    def with_users(self, paths: Iterable[str]) -> set[str]:
        """The files, and those that include them, through others too."""
        return set(filterfalse(_is_name, reached(self._users, paths)))

    def handed_on(self, facts: Mapping[str, frozenset[_Fact]]) -> dict[str, frozenset[_Fact]]:
        """File -> the facts of it and of the headers that it includes, through others too."""
        every = list(frozenset[_Fact]().union(*facts.values()))
        bits = {fact: 1 << number for number, fact in enumerate(every)}
        known = {path: sum(map(bits.__getitem__, own)) for path, own in facts.items()}
        pending = list(known)
        while pending:
            header = pending.pop()
            for user in self._users.get(header, ()):
                before = known.get(user, 0)
                known[user] = before | known[header]
                if known[user] != before:
                    pending.append(user)
        sets = {
            number: frozenset(fact for fact in every if bits[fact] & number)
            for number in set(known.values())
        }
        return {path: sets[number] for path, number in known.items() if not _is_name(path)}


def _is_name(node: str) -> bool:
    """Whether a node is no file: no path of one ends so."""
    return node.endswith("/")


def included(data: bytes, _: RuleSet) -> tuple[str, ...]:
    """The names that a file includes: a question about each file of a tree."""
    return tuple(map(sys.intern, included_names(data)))


def included_names(data: bytes) -> list[str]:
    """The names that a file includes, in the order of its lines, under conditions too."""
    return [each.decode("latin-1") for each in _INCLUDED.findall(data)]
