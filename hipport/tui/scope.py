"""The selection: everything that was opened, or one file, bundle, entry, or kernel in it."""

from __future__ import annotations

from hipport.errors import printable
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.named_tuples import NamedTuple
from hipport.tui.kernelrows import KernelRow


class Scope(NamedTuple):
    """Each part contains the next; None for the parts below the selection."""

    binary: Binary | None = None
    bundle: Bundle | None = None
    entry: BundleEntry | None = None
    kernel: KernelRow | None = None

    @property
    def parent(self) -> Scope:
        if self.kernel is not None:
            return self._replace(kernel=None)
        if self.entry is not None:
            return self._replace(entry=None)
        return Scope(self.binary) if self.bundle is not None else Scope()

    @property
    def target(self) -> str:
        """The target of the entry or kernel; empty for anything wider."""
        if self.kernel is not None:
            return self.kernel.target
        return entry_name(self.entry) if self.entry is not None else ""

    def holds(self, row: KernelRow) -> bool:
        """Whether a kernel lies within."""
        return (
            (self.binary is None or row.binary is self.binary)
            and (self.bundle is None or row.entry.bundle is self.bundle)
            and (self.entry is None or row.entry is self.entry)
            and (self.kernel is None or row == self.kernel)
        )


def scope_of(row: KernelRow) -> Scope:
    return Scope(row.binary, row.entry.bundle, row.entry, row)


def entry_name(entry: BundleEntry) -> str:
    """The target of a device entry, else the whole ID."""
    return printable(str(entry.target) if entry.target is not None else entry.id)


def file_name(path: str) -> str:
    """The last part of a path, of a member's too."""
    return printable(path.replace("!", "/").rstrip("/").rsplit("/", 1)[-1] or path)


def middle(text: str, width: int) -> str:
    """The text in at most so many characters: its start and end, where names differ most."""
    tail = width // 2
    return text if len(text) <= width else f"{text[: width - 1 - tail]}…{text[-tail:]}"
