"""The entry point: turns a path into binaries, whatever it is and however deep they are nested."""

from __future__ import annotations

import os

from hipport.errors import HipportError, os_error
from hipport.fatbin.binary import Binary
from hipport.fatbin.bundle_search import walk
from hipport.fatbin.byte_source import FileSource, Source
from hipport.fatbin.clock import Clock
from hipport.fatbin.elf_file import MAGIC as ELF_MAGIC
from hipport.fatbin.elf_file import foreign_elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.formats import recognize
from hipport.fatbin.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hipport.fatbin.packages import Package

_LOOK = 512
# Numba's cache is made of pickles, with code objects in them.
_SEARCHED = (".nbc",)


def open_path(path: str, limits: Limits | None = None) -> Iterator[Binary]:
    """The binaries in a file, package or folder, headers only, one after the other.

    A file that was named and holds nothing of interest still gives one Binary without bundles.
    In packages and folders such members are left out. Damage is recorded in `faults`; only a
    path that cannot be read at all raises HipportError.
    """
    limits = limits or Limits()
    if os.path.isdir(path):  # noqa: PTH112
        yield from _folder(path, limits)
        return
    for binary in open_source(_open_file(path), path, limits):
        yield _with_sidecar(binary, path)


def _open_file(path: str) -> FileSource:
    try:
        return FileSource(path)
    except OSError as error:
        raise os_error(path, "cannot read", error) from None


def open_source(
    source: Source, path: str, limits: Limits, depth: int = 0, clock: Clock | None = None
) -> Iterator[Binary]:
    """The binaries in the bytes at `path` (with `!` before each member's name).

    `clock` is that of the file that the bytes are a member of.
    """
    clock = clock or Clock(limits.max_seconds)
    try:
        for binary in clock.timed(_open(source, path, limits, depth, clock), source):
            for bundle in binary.bundles:
                bundle.clock = clock
            yield binary
    except FormatError as error:
        yield _damaged(source, path, "damaged file", error)


def _open(source: Source, path: str, limits: Limits, depth: int, clock: Clock) -> Iterator[Binary]:
    head = source.head(0, _LOOK)
    if head.startswith(ELF_MAGIC):
        foreign = foreign_elf(head)
        if foreign:
            yield Binary(path, foreign, source)
            return
        yield _elf(source, path, limits)
        return
    if recognize(head) is not None:
        binary = Binary(path, "offload bundle", source)
        walk(binary, source, limits)
        if binary.bundles:
            binary.kind = f"bare {binary.bundles[0].format}"
        # A database or a module may hold anything.
        binary.bundles = [b for b in binary.bundles if b.entries or b.faults]
        yield binary
        return
    yield from _others(source, path, limits, depth, head, clock)


def _elf(source: Source, path: str, limits: Limits) -> Binary:
    from hipport.fatbin.host.fatbin_sections import read_elf

    try:
        return read_elf(path, source, limits)
    except FormatError as error:
        return _damaged(source, path, "ELF file", error)


def _others(
    source: Source, path: str, limits: Limits, depth: int, head: bytes, clock: Clock
) -> Iterator[Binary]:
    from hipport.fatbin import packages
    from hipport.fatbin.host.fatbin_sections import read_pe_file
    from hipport.fatbin.host.pe_file import is_pe
    from hipport.fatbin.package_kinds import is_tensile_index, not_opened

    package = packages.recognize(head)
    if package is not None:
        if depth >= limits.max_depth:
            fault = source.fault(0, f"packages nested deeper than {limits.max_depth}")
            yield _damaged(source, path, package.NAME, fault)
            return
        found = False
        for binary in _members(package, source, path, limits, depth, clock):
            found = True
            yield binary
        if not found and depth == 0:
            yield Binary(path, package.NAME, source)
    elif is_pe(head):
        try:
            yield read_pe_file(path, source, limits)
        except FormatError as error:
            yield _damaged(source, path, "PE file", error)
    elif is_tensile_index(head):
        yield _index(source, path, limits)
    elif depth == 0:
        yield _scanned(source, path, limits)
    elif path.endswith(_SEARCHED):
        yield _searched(source, path, limits)
    elif what := not_opened(head):
        binary = Binary(path, what, source)
        binary.unopened = f"{what}, which is not opened"
        yield binary


def _index(source: Source, path: str, limits: Limits) -> Binary:
    from hipport.fatbin.tensile_index import KIND, described

    binary = Binary(path, KIND, source)
    binary.remarks.append(described(source, path, limits))
    return binary


def _members(
    package: Package, source: Source, path: str, limits: Limits, depth: int, clock: Clock
) -> Iterator[Binary]:
    for name, member in clock.timed(package.members(source, limits), source):
        inner = f"{path}!{name}" if name else path
        if isinstance(member, FormatError):
            yield _damaged(source, inner, package.NAME, member)
            continue
        for binary in open_source(member, inner, limits, depth + 1, clock):
            if _worth_reporting(binary):
                yield binary


def _with_sidecar(binary: Binary, path: str) -> Binary:
    if path.endswith(".hsaco") and binary.path == path:
        from hipport.fatbin.sidecars import described

        binary.remarks += filter(None, [described(path)])
    return binary


def _worth_reporting(binary: Binary) -> bool:
    """Whether a member of a package or folder is more than a file without device code."""
    return bool(binary.bundles or binary.remarks or binary.unopened or any(binary.all_faults()))


def regular_files(folder: str, limits: Limits) -> Iterator[str]:
    """The regular files below a folder, by name; links are not followed."""
    count = 0
    for path, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            inner = os.path.join(path, name)  # noqa: PTH118
            if os.path.islink(inner) or not os.path.isfile(inner):  # noqa: PTH113,PTH114
                continue
            count += 1
            if count > limits.max_members:
                raise HipportError(
                    f"{folder}: more than {limits.max_members} files",
                    remedy="name folders below it",
                )
            yield inner


def _folder(path: str, limits: Limits) -> Iterator[Binary]:
    for inner in regular_files(path, limits):
        try:
            source = FileSource(inner)
        except OSError as error:
            fault = FormatError(f"cannot be read: {error.strerror}", inner, 0)
            yield _damaged(None, inner, "file", fault)
            continue
        for binary in open_source(source, inner, limits, 1):
            if _worth_reporting(binary):
                yield _with_sidecar(binary, inner)


def _scanned(source: Source, path: str, limits: Limits) -> Binary:
    """A file of unknown kind: the last resort is to look for magic numbers."""
    from hipport.fatbin.package_kinds import not_opened

    what = not_opened(source.head(0, _LOOK), named=True)
    if what:
        # Compressors store short runs unchanged: a magic number in them is not a bundle's.
        raise HipportError(f"{path}: {what}, which is not opened", remedy="unpack it first")
    binary = Binary(path, "unknown", source)
    if source.size:
        walk(binary, source, limits)
    if not binary.bundles:
        found = _searched(source, path, limits).bundles
        inside = f"; a {found[0].format} is at {found[0].place.offset:#x}" if found else ""
        raise HipportError(
            f"{path}: offset 0x0: not a file that can hold device code: starts with "
            f"{source.head(0, 8).hex(' ') or 'nothing'}{inside}",
            remedy="ELF, PE/COFF, archives, bundles, code objects, wheels, zip and tar are read",
        )
    return binary


def _searched(source: Source, path: str, limits: Limits) -> Binary:
    """A file of another kind, with the code objects and bundles anywhere in it."""
    from hipport.fatbin.embedded import embedded

    binary = Binary(path, "unknown", source)
    for bundle in embedded(source, limits):
        binary.add(bundle)
    if binary.bundles:
        binary.remarks.append("code found by looking for its magic numbers")
    return binary


def _damaged(source: Source | None, path: str, kind: str, fault: FormatError) -> Binary:
    from hipport.fatbin.byte_source import MemorySource

    binary = Binary(path, kind, source or MemorySource(b"", path))
    binary.faults.append(fault)
    return binary
