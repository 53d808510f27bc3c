"""The way down a syntax tree to one place after another, with what the nodes on it say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import tree_sitter

from hipport.model import Span

_Said = TypeVar("_Said")


class TreePath(Generic[_Said]):
    """The nodes from a root to a place, each with what it and those around it say.

    From one place it goes on to the next one, which is near: a long expression is not gone through
    again for each of its parts. To ask each node for its parent would begin at the root each time.
    """

    def __init__(
        self,
        root: tree_sitter.Node,
        first: _Said,
        enter: Callable[[tree_sitter.Node, tree_sitter.Node, str, _Said], _Said],
    ) -> None:
        """`enter` gets a node, its child, the field of that, and what was said before."""
        self._cursor = root.walk()
        self._said = [first]
        self._enter = enter

    def said_at(self, place: Span) -> _Said:
        """What is said at the innermost node that has all of a place."""
        while len(self._said) > 1 and not _contains(self._cursor.node, place):
            self._cursor.goto_parent()
            self._said.pop()
        while self._is_entered(place):
            pass
        return self._said[-1]

    def _is_entered(self, place: Span) -> bool:
        parent = self._cursor.node
        if parent is None or self._cursor.goto_first_child_for_byte(place.start) is None:
            return False
        node = self._cursor.node
        if node is None or not _contains(node, place):
            self._cursor.goto_parent()
            return False
        field = self._cursor.field_name or ""
        self._said.append(self._enter(parent, node, field, self._said[-1]))
        return True


def _contains(node: tree_sitter.Node | None, place: Span) -> bool:
    return node is not None and node.start_byte <= place.start and place.end <= node.end_byte
