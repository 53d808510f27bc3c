"""The images of a bundle, one at a time, with no more memory than the largest one needs."""

from __future__ import annotations

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hipport.fatbin.binary import Bundle, BundleEntry
    from hipport.fatbin.byte_source import Source


def images_of(bundle: Bundle, entries: list[BundleEntry]) -> Iterator[tuple[BundleEntry, Source]]:
    """Entry and bytes. A compressed bundle is decompressed once and to its end; raises FormatError
    where it is damaged."""
    if not bundle.is_stream or not _in_order(entries):
        payload = bundle.payload()  # kept until all entries were read
        for entry in entries:
            try:
                source = entry.source()
            except FormatError as error:
                bundle.record(error)
                continue
            yield entry, source
        del payload
        return
    pieces = bundle.pieces()
    start, piece = 0, b""
    for entry in entries:
        content = bytearray()
        while len(content) < entry.size:
            at = entry.offset + len(content) - start
            if at >= len(piece):
                start += len(piece)
                piece = next(pieces, b"")
                if not piece:
                    raise bundle.stored.fault(0, f"the decompressed bundle ends at {start:#x}")
                continue
            content += memoryview(piece)[at : at + entry.size - len(content)]
        view = memoryview(content).toreadonly()
        yield entry, MemorySource(view, bundle.payload_label, entry.offset)
    for _ in pieces:  # to the end, for the size and the hash
        pass


def _in_order(entries: list[BundleEntry]) -> bool:
    end = 0
    for entry in entries:
        if entry.offset < end:
            return False
        end = entry.offset + entry.size
    return True
