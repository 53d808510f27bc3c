"""Errors that tree-sitter finds in a text."""

from __future__ import annotations

from tree_sitter import Node


def syntax_errors(root: Node) -> int:
    """The number of places that do not parse, and of missing tokens."""
    count, pending = 0, [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            count += 1
        elif node.has_error:
            pending += node.children
    return count
