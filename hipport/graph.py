"""Directed graphs of names: which files include which, which functions call which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

Graph = Mapping[str, Collection[str]]
"""Name -> the names that it leads to; a name that leads to none may be missing."""


def reached(graph: Graph, starts: Iterable[str]) -> set[str]:
    """The starts, and all that the graph leads to from them."""
    found = set(starts)
    pending = list(found)
    while pending:
        more = set(graph.get(pending.pop(), ())) - found
        found |= more
        pending += more
    return found


def turned(graph: Graph) -> dict[str, list[str]]:
    """The graph with every edge the other way round."""
    # Lists, as sets take six times the memory: trees have very many files.
    found: dict[str, list[str]] = {}
    for name, others in graph.items():
        for other in others:
            found.setdefault(other, []).append(name)
    return found
