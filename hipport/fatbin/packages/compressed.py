"""A compressed file: a tar file inside, or one file, as in `.hsaco.gz` and `.fatbin.zst`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.byte_source import Source
from hipport.fatbin.compression import Stream, streams
from hipport.fatbin.first_bytes import may_hold_device_code
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.package_kinds import compression, is_plain_tar
from hipport.fatbin.packages import tar
from hipport.fatbin.packages.compressed_member import LOOK
from hipport.fatbin.packages.held import hold

NAME = "compressed file"


def members(source: Source, limits: Limits) -> Iterator[tuple[str, Source | FormatError]]:
    """The files of a compressed tar file; else the one file, if it may hold device code."""
    method = compression(source.head(0, LOOK))
    try:
        look = b"".join(Stream(source, method, LOOK, limits.max_size).pieces(LOOK))[:LOOK]
        if is_plain_tar(look):
            yield from tar.members(source, limits)
        elif may_hold_device_code(look):
            yield "", _content(source, method, limits)
    except FormatError as error:
        yield "", error


def _content(source: Source, method: str, limits: Limits) -> Source:
    label = f"{source.label}[decompressed]"
    return hold(streams(source, method, limits.max_stream), limits, label)
