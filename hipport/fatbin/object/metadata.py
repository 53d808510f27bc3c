"""The metadata note of a code object (LLVM, AMDGPUUsage, "Code Object V3 Metadata" and later).

One MessagePack map. Arguments make up most of it and few callers want them: they are cut out
and decoded on demand, which takes two thirds of the time of decoding everything.

msgpack and not msgspec, which `kernel_columns` uses for its speed: msgpack locates damage and keeps
what comes before it, accepts names that are not UTF-8, and loads in 3 ms instead of 24.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack

from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import Limits
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple

PLAIN_NOTE = 4 << 20
"""Above this size a value is measured before it is decoded: a MessagePack byte can become a
Python object of 72 bytes, so that a large hostile note could fill the memory."""
_MAX_VALUE = 1 << 20
MAX_KERNELS = 1 << 18
_ARGUMENTS = regex(rb"\xa5\.args")
"""The key as MessagePack writes it: 0xA5 cannot occur inside UTF-8 text before ASCII. An
expression, because it looks for the rare first byte; bytes.find takes twice the time."""

_ERRORS = (
    ValueError,
    TypeError,
    AttributeError,
    StopIteration,
    RecursionError,
    msgpack.OutOfData,
    msgpack.exceptions.UnpackException,
)

_REPLACE = "backslashreplace"

Raw = dict[str, Any]


class Metadata(NamedTuple):
    """A decoded note: the top keys without `amdhsa.kernels`, and the kernels."""

    top: Raw
    kernels: list[Raw]
    """Each with its keys and values as stored; `.args` holds the span of the arguments in the
    note instead of them, or, in version 2, the arguments."""
    note: bytes
    places: tuple[tuple[int, Source], ...] = ()
    """Where in `note` each note starts, and where it is in the file, for messages."""

    def arguments(self, kernel: Raw) -> list[Raw]:
        """The kernel's arguments; empty when it has none. Raises FormatError if they are
        damaged."""
        span = kernel.get(".args")
        if isinstance(span, list):
            return span
        if span is None or not self.places:
            return []
        start, end = span
        first, source = next(place for place in reversed(self.places) if place[0] <= start)
        if end - start > _MAX_VALUE:
            raise source.fault(start - first, f"arguments of {end - start} bytes")
        try:
            args = msgpack.unpackb(
                self.note[start:end], strict_map_key=False, unicode_errors=_REPLACE
            )
        except _ERRORS as error:
            raise source.fault(
                start - first, f"damaged arguments: {str(error) or type(error).__name__}"
            ) from None
        return [arg for arg in args if isinstance(arg, dict)] if isinstance(args, list) else []


def _unpacker(data: bytes) -> Any:
    # strict_map_key: keys of other types than str are tolerated, like unknown keys. read_size
    # is the size of the buffer to start with: one that need not grow is not copied.
    size = max(1, len(data))
    unpacker = msgpack.Unpacker(
        read_size=size, max_buffer_size=size, strict_map_key=False, unicode_errors=_REPLACE
    )
    unpacker.feed(data)
    return unpacker


def decode(source: Source) -> Metadata:
    """The note's content; raises FormatError where it is not what the guide describes."""
    note = source.read(0, source.size)
    if len(note) <= PLAIN_NOTE:
        try:
            return _decode_at_once(source, note)
        except _ERRORS:
            pass  # step by step gives what precedes the damage, and its place
    return _decode_stepwise(source, note)


def _decode_at_once(source: Source, note: bytes) -> Metadata:
    """Cuts the arguments out of the note and decodes the rest in one call."""
    unpacker = _unpacker(note)
    read, skip, tell = unpacker.read_bytes, unpacker.skip, unpacker.tell
    parts: list[bytes] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for key in _ARGUMENTS.finditer(note):
        start = key.end()
        if start <= position:  # within the arguments before
            continue
        parts.append(read(start - position))
        skip()
        position = tell()
        spans.append((start, position))
    parts.append(note[position:])
    top = msgpack.unpackb(b"\xc0".join(parts), strict_map_key=False, unicode_errors=_REPLACE)
    kernels: list[Raw] = top.pop("amdhsa.kernels", [])
    if type(kernels) is not list:
        raise TypeError("kernels that are no list")
    if len(kernels) > MAX_KERNELS:
        raise ValueError(f"more than {MAX_KERNELS} kernels")
    following = iter(spans)
    for kernel in kernels:
        if type(kernel) is not dict:
            raise TypeError("a kernel that is not a map")
        if ".args" in kernel:
            if kernel[".args"] is not None:
                raise ValueError("arguments that were not cut out")
            kernel[".args"] = next(following)
    if next(following, None) is not None:
        raise ValueError("arguments that belong to no kernel")
    return Metadata(top, kernels, note, ((0, source),))


def _decode_stepwise(source: Source, note: bytes) -> Metadata:
    unpacker = _unpacker(note)
    value = unpacker.unpack if len(note) <= PLAIN_NOTE else _guarded(unpacker, note)
    top: Raw = {}
    kernels: list[Raw] = []
    try:
        for _ in range(unpacker.read_map_header()):
            key = value()
            if key == "amdhsa.kernels":
                _kernels(unpacker, value, kernels)
            elif isinstance(key, str):
                top[key] = value()
            else:
                unpacker.skip()
    except _ERRORS as error:
        raise source.fault(
            min(unpacker.tell(), source.size),
            f"damaged metadata after {len(kernels)} kernels: {str(error) or type(error).__name__}",
        ) from None
    return Metadata(top, kernels, note, ((0, source),))


def _kernels(unpacker: Any, value: Callable[[], Any], kernels: list[Raw]) -> None:
    read_map, skip, tell, add = (
        unpacker.read_map_header,
        unpacker.skip,
        unpacker.tell,
        kernels.append,
    )
    for _ in range(unpacker.read_array_header()):
        raw: Raw = {}
        for _ in range(read_map()):
            key = value()
            if key == ".args":
                start = tell()
                skip()
                raw[key] = (start, tell())
            else:
                raw[key] = value()
        add(raw)
        if len(kernels) > MAX_KERNELS:
            raise ValueError(f"more than {MAX_KERNELS} kernels")


def _guarded(unpacker: Any, note: bytes) -> Callable[[], Any]:
    """Decodes the next value, but skips it (giving None) when it takes more than 1 MiB."""

    def value() -> Any:
        start = unpacker.tell()
        unpacker.skip()
        end = unpacker.tell()
        if end - start > _MAX_VALUE:
            return None
        return msgpack.unpackb(note[start:end], strict_map_key=False, unicode_errors=_REPLACE)

    return value


def decode_map(source: Source, limits: Limits) -> Raw:
    """A whole MessagePack map of bounded size, for tables that are no metadata notes."""
    if source.size > limits.max_note:
        raise source.fault(0, f"a table of {source.size} bytes; the limit is {limits.max_note}")
    data = source.read(0, source.size)
    try:
        if len(data) > PLAIN_NOTE:
            raise ValueError(f"more than {PLAIN_NOTE} bytes")
        table = _unpacker(data).unpack()
    except _ERRORS as error:
        raise source.fault(0, f"damaged table: {str(error) or type(error).__name__}") from None
    if not isinstance(table, dict):
        raise source.fault(0, "the table is not a map")
    return table
