"""The binaries in a file: itself, or the members of a package, unpacked under a limit.

Looking into a package must cost no more than reading so much source: what is unpacked may grow
with the size of the file, to _GROWTH times as much, and a package within another stays shut.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin import packages
from hipport.fatbin.binary import Binary
from hipport.fatbin.byte_source import Source
from hipport.fatbin.clock import Clock
from hipport.fatbin.elf_file import MAGIC
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.packages import Package, ar
from hipport.fatbin.reader import open_source
from hipport.named_tuples import NamedTuple

_LOOK = 512
_GROWTH = 20
_LEAST, _MOST = 16 << 20, 1 << 30
_MOST_MEMBERS = 1 << 16
_SECONDS = 120
"""Of processor time for one file, as for a source."""
_ELF64 = MAGIC + b"\x02\x01"


class Inside(NamedTuple):
    """A binary with its name in the package, "" outside of one; or what could not be read."""

    name: str
    found: Binary | FormatError


def binaries(source: Source) -> Iterator[Inside]:
    """What the file holds; only headers are read. Raises FormatError where that takes long."""
    package = packages.recognize(source.head(0, _LOOK))
    grown = min(max(_GROWTH * source.size, _LEAST), _MOST)
    # `max_stream`, what one stream may be unpacked to, is 16 times `max_size`.
    limits = Limits(max_size=grown // 16, max_members=_MOST_MEMBERS, max_seconds=_SECONDS)
    clock = Clock(limits.max_seconds, "leave it out with --exclude")
    if package is None:
        for binary in _opened(source, limits, clock):
            yield Inside("", binary)
    else:
        yield from clock.timed(_within(source, package, limits, clock), source)


def _within(source: Source, package: Package, limits: Limits, clock: Clock) -> Iterator[Inside]:
    unpacked = 0
    for name, member in package.members(source, limits):
        if isinstance(member, FormatError):
            yield Inside(name, member)
            continue
        unpacked += member.size
        if unpacked > limits.max_stream:
            fault = f"more than {limits.max_stream} bytes when unpacked; not looked at further"
            yield Inside(name, source.fault(0, fault))
            return
        kind = packages.recognize(member.head(0, _LOOK))
        if kind is None:
            for binary in _opened(member, limits, clock):
                yield Inside(name, binary)
        elif kind.NAME == ar.NAME != package.NAME:
            for inner, found in _within(member, kind, limits, clock):
                yield Inside(f"{name}!{inner}", found)


def _opened(source: Source, limits: Limits, clock: Clock) -> Iterator[Binary]:
    head = source.head(0, len(_ELF64))
    if head.startswith(MAGIC) and head != _ELF64:
        return  # 32 bits or big-endian: CUDA 12 and ROCm run on no such machine
    # At this depth a file of an unknown kind gives nothing, instead of an error.
    yield from open_source(source, source.label, limits, limits.max_depth, clock)
