"""Syntax trees of the last texts: of one that changes a little, only the change is parsed.

tree-sitter reads again what an edit touched and takes the rest from the tree before; the result is
that of parsing the whole text (tree-sitter, "Using Parsers: Editing"). Only where that has errors,
what they take in may differ: `settle` then parses the whole text, once there is time.
"""

from __future__ import annotations

from collections import deque

import msgspec
import tree_sitter

from hipport.source.languages.cuda_syntax import PARSER


class _Kept(msgspec.Struct, frozen=True):
    text: bytes
    tree: tree_sitter.Tree
    is_whole: bool
    """Whether the whole text was parsed for it."""


_kept: deque[_Kept] = deque(maxlen=0)


def keep(number: int) -> None:
    """Keep the trees of so many texts from now on: for a language server, in one thread."""
    global _kept
    _kept = deque(maxlen=number)


def parse(data: bytes) -> tree_sitter.Tree:
    """The syntax tree of CUDA or C++."""
    known = next((each.tree for each in _kept if each.text == data), None)
    if known is not None:
        return known
    base = _base(data)
    tree = PARSER.parse(data, base) if base else PARSER.parse(data)
    _kept.append(_Kept(data, tree, base is None))
    return tree


def settle(data: bytes) -> bool:
    """Parse the whole of a kept text that has errors; whether that gives another tree."""
    known = next((each for each in _kept if each.text == data), None)
    if known is None or known.is_whole or not known.tree.root_node.has_error:
        return False
    tree = PARSER.parse(data)
    _kept.remove(known)
    _kept.append(_Kept(data, tree, True))
    return bool(known.tree.changed_ranges(tree))


def _base(data: bytes) -> tree_sitter.Tree | None:
    """The kept tree of the text that differs least, edited; None if all differ by half or more."""
    changes = [(*_change(each.text, data), each.text, each.tree) for each in _kept]
    if not changes:
        return None
    start, end, old, tree = min(changes, key=lambda each: each[1] - each[0])
    if (end - start) * 2 > len(data):
        return None
    old_end = end + len(old) - len(data)
    base = tree.copy()
    points = (_point(old, start), _point(old, old_end), _point(data, end))
    base.edit(start, old_end, end, *points)
    return base


def _change(old: bytes, new: bytes) -> tuple[int, int]:
    """Where the part of `new` that `old` lacks begins and ends."""
    start = _common(old, new)
    return start, len(new) - _common(old[start:][::-1], new[start:][::-1])


def _common(one: bytes, other: bytes) -> int:
    """How many bytes at the beginning are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """The row and column, in bytes, of an offset."""
    return data.count(b"\n", 0, offset), offset - (data.rfind(b"\n", 0, offset) + 1)
