"""Code objects and bundles anywhere in data, as TVM, MLIR and `ld -r -b binary` leave them.

A magic number proves little: it may be part of a program that reads bundles. A match counts only
if all of it can be read.
"""

from __future__ import annotations

from hipport.fatbin.byte_source import Source, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import recognize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hipport.fatbin.binary import Bundle
    from hipport.fatbin.limits import Limits

# A bundle, a compressed one, an ELF file of OSABI 64 (AMDGPU_HSA).
_MAGICS = (b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB", b"\x7fELF\x02\x01\x01\x40")
_FORMATS = ("offload bundle", "compressed bundle", "code object")


def embedded(area: Source, limits: Limits) -> Iterator[Bundle]:
    """The containers in the area, in order, without duplicates."""
    end = 0
    for position in area.occurrences(*_MAGICS):
        if position < end:
            continue
        rest = Window(area, position, area.size - position)
        form = recognize(rest.head(0, 64))
        if form is None or form.NAME not in _FORMATS:
            continue
        try:
            bundle = form.read(rest, limits)
        except FormatError:
            continue
        if bundle.entries and not bundle.faults:
            bundle.embedded = True
            end = position + bundle.size
            yield bundle
