"""Container formats, one a file. Each has NAME, `sniff(head)` and `read(source, limits)`.

`sniff` is given the first bytes (at least 32, fewer only at the end of a file). `read` is given
a source that starts at the container and may go on past its end; the bundle's `size` says where
it ends. What is wrong with one entry becomes a fault of the bundle; what makes the container
unreadable raises FormatError.
"""

from __future__ import annotations

from typing import Protocol, cast

from hipport.fatbin.faults import Limits
from hipport.fatbin.formats import (
    code_object,
    compressed_bundle,
    kpack,
    nv_fatbin,
    offload_binary,
    offload_bundle,
    text_bundle,
)
from hipport.fatbin.model import Bundle
from hipport.fatbin.source import Source


class Format(Protocol):
    NAME: str

    def sniff(self, head: bytes) -> bool: ...
    def read(self, source: Source, limits: Limits) -> Bundle: ...


FORMATS = cast(
    "tuple[Format, ...]",
    (offload_bundle, compressed_bundle, offload_binary, code_object, kpack, nv_fatbin, text_bundle),
)


def recognise(head: bytes) -> Format | None:
    """The format whose magic these first bytes show."""
    return next((form for form in FORMATS if form.sniff(head)), None)
