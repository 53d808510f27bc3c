"""The settings that the user switches: shared by all views."""

from __future__ import annotations

import msgspec

from hipport.errors import printable
from hipport.tui.byte_counts import short_size, size
from hipport.tui.names import shorten
from hipport.tui.opened_files import Library


class Settings(msgspec.Struct):
    mangled: bool = False
    """Show names as stored instead of demangled."""
    human: bool = True
    """Show sizes with units instead of in bytes."""

    def full_name(self, library: Library, name: str) -> str:
        return printable(name if self.mangled else library.readable.get(name, name))

    def sort_name(self, library: Library, name: str) -> str:
        """The sort key of a name: a kernel returns nothing, which demanglers write out for
        templates only."""
        return self.full_name(library, name).removeprefix("void ")

    def short_name(self, library: Library, name: str) -> str:
        """The name for a table."""
        readable = None if self.mangled else library.readable.get(name)
        return printable(name if readable is None else shorten(readable))

    def size(self, count: int) -> str:
        """Bytes in a sentence or a list."""
        return size(count, self.human) + ("" if self.human and count >= 1024 else " B")

    def short_size(self, count: int) -> str:
        """Bytes in a narrow column."""
        return short_size(count, self.human)
