"""Where bytes could be saved: identical code objects, no compression, debug sections."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.digest import sha256
from hipport.fatbin.elf_file import SHT_NOBITS, Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits


class Duplicates(msgspec.Struct):
    """Facts over all files of a call; sizes in bytes."""

    entries: int = 0
    size: int = 0
    """Of all device entries, uncompressed."""
    stored: int = 0
    """What the bundles take in their files."""
    uncompressed: int = 0
    """Of the entries of bundles without compression."""
    debug: int = 0
    groups: dict[str, list[tuple[str, BundleEntry]]] = msgspec.field(default_factory=dict)
    """SHA-256 -> the places of code objects with that content, two or more."""

    @property
    def wasted(self) -> int:
        """Bytes, uncompressed, of all copies but the first of each."""
        return sum(places[0][1].size * (len(places) - 1) for places in self.groups.values())


def duplicates(binaries: Iterable[Binary], limits: Limits) -> Duplicates:
    """Reads every entry once. Entries of a size that occurs once are hashed too: the sizes are
    known only at the end."""
    facts = Duplicates()
    by_content: dict[str, list[tuple[str, BundleEntry]]] = {}
    for binary in binaries:
        for bundle in binary.bundles:
            facts.stored += bundle.size
            entries = [entry for entry in bundle.device_entries if entry.size]
            try:
                payload = bundle.payload()
            except FormatError as error:
                bundle.record(error)
                continue
            for entry in entries:
                facts.entries += 1
                facts.size += entry.size
                facts.uncompressed += 0 if bundle.compression else entry.size
                try:
                    source = entry.source()
                    by_content.setdefault(sha256(source), []).append((binary.path, entry))
                    facts.debug += _debug_size(source)
                except FormatError as error:
                    bundle.record(error)
            del payload
    facts.groups = {key: places for key, places in by_content.items() if len(places) > 1}
    return facts


def _debug_size(source: Source) -> int:
    if source.head(0, 4) != b"\x7fELF":
        return 0
    sections = Elf(source).sections
    return sum(s.size for s in sections if s.name.startswith(".debug_") and s.type != SHT_NOBITS)
