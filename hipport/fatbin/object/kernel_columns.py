"""A few values of each kernel, decoded without the rest of the metadata note.

msgspec skips the rest, which takes a third of the time of `metadata.decode`;
loading it takes as long as decoding some 9,000 kernels in full.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypedDict, cast

import msgspec

from hipport.fatbin.byte_source import Source
from hipport.fatbin.object.metadata import MAX_KERNELS, PLAIN_NOTE, Raw


@cache
def _decoder(keys: tuple[str, ...]) -> msgspec.msgpack.Decoder[dict[str, list[Raw]]]:
    kernel = TypedDict("kernel", dict.fromkeys(keys, Any), total=False)  # type: ignore[misc]
    note = TypedDict("note", {"amdhsa.kernels": list[kernel]}, total=False)
    return cast("msgspec.msgpack.Decoder[dict[str, list[Raw]]]", msgspec.msgpack.Decoder(note))


class _Top(msgspec.Struct):
    target: Any = msgspec.field(default=None, name="amdhsa.target")


_TOP = msgspec.msgpack.Decoder(_Top)


def stated_target(source: Source) -> object:
    """`amdhsa.target` of the note, without its kernels; None as in `decode`."""
    if source.size > PLAIN_NOTE:
        return None
    try:
        return _TOP.decode(source.read(0, source.size)).target
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def decode(source: Source, keys: tuple[str, ...]) -> list[Raw] | None:
    """These keys of each kernel; None if the note is damaged, unusual or very large, where
    `metadata.decode` knows what to do."""
    if source.size > PLAIN_NOTE:
        return None
    try:
        kernels = _decoder(keys).decode(source.read(0, source.size)).get("amdhsa.kernels", [])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return kernels if len(kernels) <= MAX_KERNELS else None
