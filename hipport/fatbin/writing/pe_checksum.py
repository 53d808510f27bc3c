"""The checksum of a Windows image (PE format, "Optional Header Windows-Specific Fields")."""

from __future__ import annotations

from hipport.fatbin.byte_source import Source

_FIELD = 24 + 64  # behind the offset of the PE header: signature, COFF header, optional header


def renewed(image: Source) -> tuple[int, bytes] | None:
    """Offset and bytes of the checksum that a changed image needs; None where it states none, as
    linkers leave it without /release. It is the sum of all words of 16 bits with the carry added,
    which is a remainder of 65535, and the file's size."""
    at = int.from_bytes(image.read(60, 4), "little") + _FIELD
    stated = image.read(at, 4)
    if not any(stated):
        return None
    total = -int.from_bytes(stated, "little") * (1 << 8 * (at & 1))
    for piece in image.pieces():
        total += int.from_bytes(piece, "little") % 0xFFFF
    folded = total % 0xFFFF or 0xFFFF
    return at, (folded + image.size & 0xFFFFFFFF).to_bytes(4, "little")
