"""Container formats, one per file. Each has NAME, `sniff(head)`, and `read(source, limits)`.

`sniff` is given the first bytes (at least 32, fewer only at the end of a file). `read` is given
a source that starts at the container and may go on past its end; the bundle's `size` says where
it ends. What is wrong with one entry becomes a fault of the bundle; what makes the container
unreadable raises FormatError.

Every module of this folder is a format; adding one changes no other file. Those with a first byte
below are imported when it turns up, so that listing a bundle imports one of them. All others are
imported and asked once a file starts with something else.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from hipport.fatbin.binary import Bundle
    from hipport.fatbin.byte_source import Source
    from hipport.fatbin.limits import Limits

    class Format(Protocol):
        NAME: str

        def sniff(self, head: bytes) -> bool: ...
        def read(self, source: Source, limits: Limits) -> Bundle: ...


_BY_FIRST_BYTE = {
    b"_": "offload_bundle",
    b"C": "compressed_bundle",
    b"\x10": "offload_binary",
    b"\x7f": "bare_code_object",
    b"K": "kpack",
    b"\x50": "nv_fatbin",
    b"S": "kernel_database",
    b"A": "aotriton",
}


def recognize(head: bytes) -> Format | None:
    """The format whose magic these first bytes show."""
    likely = _BY_FIRST_BYTE.get(head[:1])
    if likely and _module(likely).sniff(head):
        return _module(likely)
    return next((form for form in _others() if form.sniff(head)), None)


@cache
def _module(name: str) -> Format:
    return import_module(f"{__name__}.{name}")


@cache
def _others() -> list[Format]:
    """The formats without a first byte of their own above."""
    from pkgutil import iter_modules

    names = (info.name for info in iter_modules(__path__))
    return [_module(name) for name in names if name not in _BY_FIRST_BYTE.values()]
