"""Several containers one after the other, as a linker concatenates them in one section."""

from __future__ import annotations

from hipport.fatbin.binary import Bundle
from hipport.fatbin.byte_source import PIECE, Source, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import recognize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hipport.fatbin.binary import Binary
    from hipport.fatbin.limits import Limits

# The magic numbers with the fixed bytes behind them: "CCOB" alone occurs by chance in
# compressed data (11 % for 0.5 GB).
_MAGIC = (
    rb"__CLANG_OFFLOAD_BUNDLE__|CCOB[\x01-\x03]\0[\0\x01]\0|\x10\xff\x10\xad[\x01-\x03]\0\0\0"
    rb"|\x50\xed\x55\xba\x01\0|KPAK"
)
_OVERLAP = 32
_PAGE, _HEADER = 4096, 1024
_ZEROS = bytes(_PAGE)
_MAX_FAULTS = 64


def walk(binary: Binary, area: Source, limits: Limits) -> None:
    """Add every container of `area` to the binary, and what is wrong between them.

    Each starts where the one before ended, after any number of zero bytes. After
    unknown or damaged bytes, the walk goes on at the next magic number.
    """
    entries = sum(len(bundle.entries) for bundle in binary.bundles)
    for found in containers(area, limits):
        if isinstance(found, Bundle):
            binary.add(found)
            entries += 1 + len(found.entries)
            if entries > limits.max_all_entries:
                what = f"more than {limits.max_all_entries} bundles and entries; gave up"
                binary.faults.append(found.stored.fault(0, what))
                return
        else:
            binary.faults.append(found)


def containers(area: Source, limits: Limits) -> Iterator[Bundle | FormatError]:
    """The containers and the faults of `area`, in order."""
    position, faults = 0, 0
    while position < area.size:
        # One read for the zeros up to the next page and the header that usually follows them.
        gap = -position % _PAGE
        head = area.head(position, gap + _HEADER)
        if head[0] == 0:
            if head[:gap] != _ZEROS[:gap] or head[gap : gap + 1] in (b"", b"\0"):
                position = _after_zeros(area, position)
                continue
            head = head[gap:]
            position += gap
        rest = Window(area, position, area.size - position, known=head)
        form = recognize(head[:64])
        try:
            if form is None:
                raise rest.fault(0, f"unknown bytes {rest.head(0, 8).hex(' ')}")
            bundle = form.read(rest, limits)
            yield bundle
            damaged = bool(bundle.faults) and form.NAME == "offload bundle"
            position += max(1, bundle.size)
        except FormatError as error:
            yield error
            damaged, position = True, position + 1
        if damaged:
            # The size of a damaged bundle is a guess, and its code objects are no containers.
            faults += 1
            if faults > _MAX_FAULTS:
                yield area.fault(position, f"more than {_MAX_FAULTS} damaged places; gave up")
                return
            position = _next_magic(area, position)


def scan(binary: Binary, area: Source, limits: Limits) -> None:
    """Add the containers at the magic numbers of `area`; skip those that cannot be read."""
    position, faults = _next_magic(area, 0), 0
    while position < area.size and faults < _MAX_FAULTS:
        rest = Window(area, position, area.size - position)
        form = recognize(rest.head(0, 64))
        step = 1
        try:
            if form is not None:
                bundle = form.read(rest, limits)
                binary.add(bundle)
                step = max(1, bundle.size)
        except FormatError:
            faults += 1
        position = _next_magic(area, position + step)
    if binary.bundles:
        binary.remarks.append("bundles found by looking for their magic numbers")


def _after_zeros(area: Source, position: int) -> int:
    """The offset of the next byte that is not zero, or the end of the area."""
    size = 4096
    while position < area.size:
        part = area.head(position, size)
        rest = part.lstrip(b"\0")
        if rest:
            return position + len(part) - len(rest)
        position += len(part)
        size = PIECE
    return area.size


def _next_magic(area: Source, position: int) -> int:
    """The offset of the next magic number, or the end of the area."""
    import re  # takes 3 ms to load, and most files are read without it

    search = re.compile(_MAGIC).search
    size = 4096
    while position < area.size:
        match = search(area.head(position, size + _OVERLAP))
        if match is not None:
            return position + match.start()
        position += size
        size = PIECE
    return area.size
