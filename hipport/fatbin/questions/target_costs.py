"""What each target costs: entries, bytes and kernels, file by file."""

from __future__ import annotations

import msgspec

from hipport.fatbin.binary import Binary
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.kernel_tables import kernel_tables


class Cost(msgspec.Struct):
    """The cost of one target in one file or in all."""

    entries: int = 0
    """Those that hold something."""
    size: int = 0
    """Bytes of code objects, uncompressed."""
    stored: int = 0
    """Bytes in the file; of a compressed bundle its share by size."""
    kernels: int = 0

    def add(self, other: Cost) -> None:
        self.entries += other.entries
        self.size += other.size
        self.stored += other.stored
        self.kernels += other.kernels


def costs(binary: Binary, limits: Limits) -> dict[str, Cost]:
    """Target ID -> what it costs, in the order of the file; damage is recorded in the bundles."""
    found: dict[str, Cost] = {}
    for bundle in binary.bundles:
        packed = bool(bundle.compression) and bundle.uncompressed_size > 0
        for entry in bundle.entries:
            if entry.size and entry.target is not None:
                share = entry.size * bundle.size // bundle.uncompressed_size if packed else 0
                cost = Cost(1, entry.size, share if packed else entry.size)
                found.setdefault(str(entry.target), Cost()).add(cost)
    for table in kernel_tables(binary, limits, keys=(".name",)):
        if table.entry.target is not None:
            found[str(table.entry.target)].kernels += len(table.records)
    return found
