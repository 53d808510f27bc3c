"""What a tree has for warps, as conversion of its files is told: plain data."""

from __future__ import annotations

from typing import NamedTuple


class TreeWarps(NamedTuple):
    """What a file's tree has for warps.

    `native` are names for AMD that the headers it includes define; of PyTorch's names `own` are
    those that the tree defines itself.
    """

    native: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


NO_WARPS = TreeWarps()
