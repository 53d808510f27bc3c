"""Parts of a tree that several machines work on: each file is in one of them, by its path alone."""

from __future__ import annotations

import re
from zlib import crc32

from hipport.errors import UsageError
from hipport.named_tuples import NamedTuple


class Shard(NamedTuple):
    """The part with this number, from 1, of so many."""

    number: int
    parts: int

    def has(self, path: str) -> bool:
        """Whether a file is in the part; `path` leads to it from the root of its tree."""
        return crc32(path.encode("utf-8", "surrogateescape")) % self.parts == self.number - 1


def parse_shard(text: str) -> Shard:
    """The part that `3/16` names; without a text, all of one. Raises UsageError for others."""
    if not text:
        return Shard(1, 1)
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text, re.ASCII)
    shard = Shard(int(match[1]), int(match[2])) if match else None
    if shard is None or not 1 <= shard.number <= shard.parts:
        raise UsageError(f"--shard {text}: no part of a tree", remedy="write it like 3/16")
    return shard
