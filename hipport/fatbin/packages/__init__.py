"""Files that hold files: `ar`, zip (wheels), tar, compressed files. Nothing is unpacked to disk.

Each module has NAME and `members(source, limits)`, which yields (name, source) pairs and, for a
member that cannot be read, (name, FormatError).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from hipport.fatbin.byte_source import Source
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.package_kinds import is_ar, is_package, is_plain_tar, is_zip
from hipport.fatbin.packages import ar, compressed, tar, zip

Member = tuple[str, Source | FormatError]


class Package(Protocol):
    NAME: str

    def members(self, source: Source, limits: Limits) -> Iterator[Member]: ...


def recognize(head: bytes) -> Package | None:
    """The kind of package whose magic these first 512 bytes show."""
    if not is_package(head):
        return None
    kind = ar if is_ar(head) else zip if is_zip(head) else tar if is_plain_tar(head) else compressed
    return cast(Package, kind)
