"""How much of an input the reader reads before it gives up."""

from __future__ import annotations

RAISE_LIMIT = "if the file is trusted, raise the limit with --max-size"


class Limits:
    """Bounds on memory and time for one input: `Limits(max_size=1 << 20)`. Sizes are in bytes."""

    max_size: int = 256 << 20
    """Largest decompressed or in-memory object: a bundle, a member of a package."""
    max_seconds: int = 600
    """Processor time for one file on the disk, with all that is packed in it."""
    max_depth: int = 8
    """Containers within containers: a library in a wheel in a tar file counts two."""
    max_entries: int = 1 << 12
    """Entries of one bundle; real ones hold fewer than 100."""
    max_all_entries: int = 1 << 17
    """Entries of all bundles of one file."""
    max_kernels: int = 1 << 21
    """Kernels of all code objects of one file; 707,159 in a plugin of 503 MB."""
    max_note: int = 32 << 20
    """One metadata note; the largest seen in a published library is 2.4 MB."""
    max_debug: int = 64 << 20
    """Bytes of the debug information of one code object."""
    max_debug_entries: int = 1 << 21
    """Entries of debug information that are read of all inputs: some seconds' work."""
    max_members: int = 1 << 20
    """Members of one package or files below one folder."""

    def __init__(self, **bounds: int) -> None:
        for name, bound in bounds.items():
            if not hasattr(Limits, name):
                raise TypeError(f"no such limit: {name}")
            setattr(self, name, bound)

    @property
    def max_stream(self) -> int:
        """Bytes decompressed from one compressed tar file before it counts as a bomb."""
        return 16 * self.max_size
