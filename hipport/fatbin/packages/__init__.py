"""Files that hold files: `ar`, zip (wheels), tar, folders. Nothing is unpacked to disk.

Each module has `sniff(head)` and `members(source, limits)`, which yields (name, source) pairs
and, for a member that cannot be read, (name, FormatError).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from hipport.fatbin.faults import FormatError, Limits
from hipport.fatbin.packages import ar, tar, zip
from hipport.fatbin.source import Source

Member = tuple[str, Source | FormatError]


class Package(Protocol):
    NAME: str

    def sniff(self, head: bytes) -> bool: ...
    def members(self, source: Source, limits: Limits) -> Iterator[Member]: ...


PACKAGES = cast("tuple[Package, ...]", (ar, zip, tar))


def recognise(head: bytes) -> Package | None:
    """The kind of package whose magic these first 512 bytes show."""
    return next((package for package in PACKAGES if package.sniff(head)), None)
