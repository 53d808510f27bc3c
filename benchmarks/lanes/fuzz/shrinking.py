"""Makes a program smaller while what is wrong with it stays."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.lanes.fuzz.program import Statements, smaller


def shrunk(tree: Statements, is_wrong: Callable[[Statements], bool]) -> Statements:
    """A program of which nothing can be left out without putting it right."""
    while (less := next(filter(is_wrong, smaller(tree)), None)) is not None:
        tree = less
    return tree
