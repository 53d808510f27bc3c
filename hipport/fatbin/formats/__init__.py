"""Container formats, one a file. Each has NAME, `sniff(head)` and `read(source, limits)`.

`sniff` is given the first bytes (at least 32, fewer only at the end of a file). `read` is given
a source that starts at the container and may go on past its end; the bundle's `size` says where
it ends. What is wrong with one entry becomes a fault of the bundle; what makes the container
unreadable raises FormatError.

A format's module is imported when its first bytes turn up: listing one bundle needs one of them.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from hipport.fatbin.faults import Limits
    from hipport.fatbin.model import Bundle
    from hipport.fatbin.source import Source

    class Format(Protocol):
        NAME: str

        def sniff(self, head: bytes) -> bool: ...
        def read(self, source: Source, limits: Limits) -> Bundle: ...


# First byte of the magic number -> module, for a quick choice; `sniff` decides.
_BY_FIRST_BYTE = {
    b"_": "offload_bundle",
    b"C": "compressed_bundle",
    b"\x10": "offload_binary",
    b"\x7f": "code_object",
    b"K": "kpack",
    b"\x50": "nv_fatbin",
}
_TEXT = b"/;# \t\r\n"
_LOADED: dict[str, Format] = {}


def recognise(head: bytes) -> Format | None:
    """The format whose magic these first bytes show."""
    name = _BY_FIRST_BYTE.get(head[:1], "")
    if not name and head[:1] in _TEXT and b"__CLANG_OFFLOAD_BUNDLE__" in head:
        name = "text_bundle"
    if not name:
        return None
    form = _LOADED.get(name)
    if form is None:
        module: Any = import_module(f"hipport.fatbin.formats.{name}")
        form = _LOADED[name] = module
    return form if form.sniff(head) else None
