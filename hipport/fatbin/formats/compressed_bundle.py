"""The compressed bundle "CCOB" (LLVM, clang/docs/ClangOffloadBundler.rst, "Compressed").

A header of 20 (v1), 24 (v2) or 32 bytes (v3), then one zlib or zstd stream that holds one whole
uncompressed bundle. v1 does not state its length: only the end of the stream shows it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hipport.fatbin.binary import Bundle
from hipport.fatbin.byte_source import PIECE, MemorySource, Source, Window
from hipport.fatbin.compression import Stream, brief
from hipport.fatbin.digest import Digest
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import offload_bundle
from hipport.fatbin.limits import RAISE_LIMIT, Limits
from hipport.named_tuples import NamedTuple
from hipport.zstd import zstd

NAME = "compressed bundle"
MAGIC = b"CCOB"
METHODS = ("zlib", "zstd")
_START = struct.Struct("<4sHH")
# version: total size (v1 has none), uncompressed size, first 8 bytes of the MD5 of the content
_HEADERS = {1: struct.Struct("<8xIQ"), 2: struct.Struct("<8xIIQ"), 3: struct.Struct("<8xQQQ")}
_FIRST_PIECE = 4096


class Header(NamedTuple):
    version: int
    method: str
    header_size: int
    total_size: int | None
    uncompressed_size: int
    hash: int


def sniff(head: bytes) -> bool:
    return head.startswith(MAGIC)


def read(source: Source, limits: Limits) -> Bundle:
    """The bundle at the start of `source`: its IDs need only the stream's first 4 KiB."""
    header = read_header(source)
    faults: list[FormatError] = []
    payload, size = _payload(source, header, limits, faults)

    def stream() -> Iterator[bytes]:
        return _checked(bundle, payload, header, limits)

    bundle = Bundle(
        NAME,
        source,
        size,
        stream=stream,
        compression=header.method,
        version=header.version,
        uncompressed_size=header.uncompressed_size,
    )
    bundle.faults = faults
    try:
        _check_frame(bundle, payload, header)
        _read_entries(bundle, payload, header, limits)
    except FormatError as error:
        bundle.faults.append(error)
    bundle.size, bundle.uncompressed_size = size, header.uncompressed_size
    return bundle


def read_header(source: Source) -> Header:
    """The header's fields; raises FormatError for an unknown version or method."""
    head = source.head(0, 32)
    if len(head) < 8 or not head.startswith(MAGIC):
        raise source.fault(0, "not a compressed bundle, or cut off in its header")
    _, version, method = _START.unpack_from(head)
    if version not in _HEADERS:
        raise source.fault(4, f"compressed bundle of unknown version {version} (known: 1, 2, 3)")
    if method >= len(METHODS):
        raise source.fault(6, f"unknown compression method {method} (known: 0 zlib, 1 zstd)")
    layout = _HEADERS[version]
    if len(head) < layout.size:
        raise source.fault(len(head), f"the header is cut off: it has {layout.size} bytes")
    *total, uncompressed, digest = layout.unpack_from(head)
    return Header(
        version, METHODS[method], layout.size, total[0] if total else None, uncompressed, digest
    )


def _payload(
    source: Source, header: Header, limits: Limits, faults: list[FormatError]
) -> tuple[Source, int]:
    """The compressed stream and the bundle's size in the file."""
    total = header.total_size
    if total is not None and header.header_size < total <= source.size:
        return Window(source, header.header_size, total - header.header_size), total
    rest = Window(source, header.header_size, source.size - header.header_size)
    if total is not None:
        faults.append(
            source.fault(8, f"total size {total:#x} is wrong: {source.size:#x} bytes are there")
        )
    try:
        length = _stream_length(rest, header, limits)
    except FormatError as error:
        faults.append(error)
        return rest, source.size
    return Window(rest, 0, length), header.header_size + length


def _stream_length(source: Source, header: Header, limits: Limits) -> int:
    """Compressed bytes of the stream at the start of `source`. zlib knows only at the end of
    the data; no more than the declared size is decompressed for this."""
    if header.method == "zstd":
        module = zstd()
        try:
            return int(module.get_frame_size(source.view(0, source.size)))
        except module.ZstdError as error:
            raise source.fault(0, f"damaged zstd data: {brief(error)}") from None
    most = min(limits.max_size, header.uncompressed_size)
    stream = Stream(source, header.method, most)
    for _ in stream.pieces():
        pass
    if not stream.ended:
        raise source.fault(0, f"decompresses to more than {most} bytes", remedy=RAISE_LIMIT)
    return stream.consumed


def _read_entries(bundle: Bundle, payload: Source, header: Header, limits: Limits) -> None:
    label = bundle.payload_label
    head = b""
    stream = Stream(payload, header.method, offload_bundle.MAX_HEADER, limits.max_size)
    for piece in stream.pieces(_FIRST_PIECE):
        head += piece
        inner = MemorySource(head, label)
        rows = offload_bundle.parse(head, inner, limits)
        if not isinstance(rows, int):
            offload_bundle.fill(bundle, rows, inner, header.uncompressed_size)
            return
    raise MemorySource(head, label).fault(len(head), "the bundle's header is cut off")


def _checked(bundle: Bundle, payload: Source, header: Header, limits: Limits) -> Iterator[bytes]:
    """The decompressed pieces; size and hash are compared with the header's at the end."""
    if header.uncompressed_size > limits.max_size:
        raise bundle.stored.fault(
            8,
            f"says it decompresses to {header.uncompressed_size} bytes; "
            f"the limit is {limits.max_size}",
            remedy=RAISE_LIMIT,
        )
    _check_frame(bundle, payload, header)
    digest, size = Digest(header.uncompressed_size), 0
    try:
        for piece in Stream(payload, header.method, header.uncompressed_size).pieces(PIECE):
            size += len(piece)
            if size > header.uncompressed_size:
                raise bundle.stored.fault(
                    8, f"decompresses to more than the {header.uncompressed_size} bytes it declares"
                )
            digest.update(piece)
            yield piece
    finally:
        found = int.from_bytes(digest.finish()[:8], "little")
    if size != header.uncompressed_size:
        raise bundle.stored.fault(
            8, f"decompresses to {size} bytes, declares {header.uncompressed_size}"
        )
    if found != header.hash:
        bundle.record(
            bundle.stored.fault(
                header.header_size - 8,
                f"hash {header.hash:016x} does not match the content ({found:016x})",
            )
        )


def _check_frame(bundle: Bundle, payload: Source, header: Header) -> None:
    """A zstd frame states its content's size: compare before a byte is allocated."""
    if header.method != "zstd":
        return
    module = zstd()
    try:
        stated = module.get_frame_info(payload.head(0, 18)).decompressed_size
    except module.ZstdError as error:
        raise payload.fault(0, f"damaged zstd data: {brief(error)}") from None
    if stated is not None and stated != header.uncompressed_size:
        raise bundle.stored.fault(
            8, f"declares {header.uncompressed_size} bytes, its zstd frame {stated}"
        )
