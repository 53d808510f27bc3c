"""Bundles with fewer targets: which entries stay, and the bytes of the new bundle."""

from __future__ import annotations

import struct
from typing import BinaryIO

from hipport.errors import HipportError
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.byte_source import PIECE, Source, Window
from hipport.fatbin.processors import needed_on
from hipport.fatbin.target_id import TargetId
from hipport.fatbin.writing.bundling import ALIGN, write_compressed, write_plain
from hipport.named_tuples import NamedTuple

FORMATS = ("offload bundle", "compressed bundle")
# The level that clang uses, and those that take longer: a new bundle must not outgrow the old one.
_LEVELS = (3, 9, 19)


class NewBundle(NamedTuple):
    """A bundle, the entries that stay, and its new bytes: the old ones if no entry goes."""

    bundle: Bundle
    kept: list[BundleEntry]
    dropped: list[BundleEntry]
    content: Source

    @property
    def place(self) -> int:
        """Where it starts in the file."""
        return self.bundle.place.offset


def is_amd(entry: BundleEntry) -> bool:
    """Whether the entry is for AMD devices, with content or without."""
    return entry.target is not None and ("amdgcn" in entry.id or "spirv64-amd" in entry.id)


def chosen(bundle: Bundle, devices: list[TargetId]) -> tuple[list[BundleEntry], list[BundleEntry]]:
    """The entries that stay and those that go: entries that are for no AMD device stay, the
    host's among them, with which every bundle begins."""
    filled = [e.target for e in bundle.entries if is_amd(e) and e.size and e.target is not None]
    empty = [e.target for e in bundle.entries if is_amd(e) and not e.size and e.target is not None]
    wanted = {code for device in devices for code in needed_on(filled, device)}
    # An empty entry says that the target was asked for. It does not replace another entry.
    wanted_empty = {code for device in devices for code in needed_on(empty, device)}
    kept: list[BundleEntry] = []
    dropped: list[BundleEntry] = []
    for entry in bundle.entries:
        stays = not is_amd(entry) or entry.target in (wanted if entry.size else wanted_empty)
        (kept if stays else dropped).append(entry)
    return kept, dropped


def renew(binary: Binary, devices: list[TargetId], file: BinaryIO) -> list[NewBundle]:
    """Every bundle of the binary as it will be, in the order of the file. New bytes are kept in
    `file`. Raises HipportError where a bundle cannot be rewritten."""
    renewed = []
    for bundle in binary.bundles:
        if bundle.embedded:  # the program knows its place and size
            continue
        if bundle.format not in FORMATS:
            if any(is_amd(entry) and entry.size for entry in bundle.entries):
                raise HipportError(
                    f"{binary.path}: bundle {bundle.index}: {bundle.format}, which slim does not "
                    "rewrite",
                    remedy="slim takes linked files, bundles and wheels of them",
                )
            continue
        kept, dropped = chosen(bundle, devices)
        content: Source = Window(bundle.stored, 0, bundle.size)
        if dropped:
            content = _rewritten(bundle, kept, file)
        renewed.append(NewBundle(bundle, kept, dropped, content))
    return sorted(renewed, key=lambda each: each.place)


def _rewritten(bundle: Bundle, kept: list[BundleEntry], file: BinaryIO) -> Source:
    if any("\\x" in entry.id for entry in kept):
        raise bundle.stored.fault(0, "an entry ID that is not UTF-8 cannot be written again")
    payload = bundle.payload()
    for fault in bundle.faults:  # found by decompressing it
        raise fault
    images = [(entry.id, entry.source()) for entry in kept]
    align = alignment([entry.offset for entry in bundle.entries if entry.size])
    start = file.seek(0, 2)
    if not bundle.compression:
        write_plain(images, file, align)
    else:
        for level in _LEVELS:
            file.seek(start)
            file.truncate()
            size = write_compressed(images, file, align, bundle.version, bundle.compression, level)
            if size <= bundle.size:
                break
        else:
            raise bundle.stored.fault(0, "what is kept compresses to more bytes than it has now")
    del payload
    file.flush()
    return Spooled(file, start, file.seek(0, 2) - start, bundle.payload_label)


def alignment(offsets: list[int]) -> int:
    """The power of two, 4096 at most, that divides all offsets."""
    joined = ALIGN
    for offset in offsets:
        joined |= offset
    return joined & -joined


class Spooled(Source):
    """Part of a temporary file."""

    def __init__(self, file: BinaryIO, start: int, size: int, label: str) -> None:
        self._file, self._start, self.size, self.label = file, start, size, label

    def view(self, offset: int, size: int) -> memoryview:
        self.check(offset, size)
        self._file.seek(self._start + offset)
        return memoryview(self._file.read(size))


def copy(source: Source, start: int, end: int, file: BinaryIO) -> None:
    """Append these bytes of the source to the file; zeros become a hole where that is possible."""
    for position in range(start, end, PIECE):
        piece = source.read(position, min(PIECE, end - position))
        if piece.count(0) == len(piece):
            file.seek(len(piece), 1)
        else:
            file.write(piece)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value & (1 << 64) - 1)
