"""Code objects written to files: copied by the kernel where they are uncompressed, streamed
where they are compressed, several bundles at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from hipport.errors import os_error
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.byte_source import PIECE, FileSource, Source, Window
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.writing.safe_files import replacing, safe_name
from hipport.named_tuples import NamedTuple

_SUFFIXES = (
    (b"\x7fELF", ".co"),
    (b"BC\xc0\xde", ".bc"),
    (b"\xde\xc0\x17\x0b", ".bc"),
    (b"\x03\x02\x23\x07", ".spv"),
)
_WORKERS = min(4, os.cpu_count() or 1)


class Extracted(NamedTuple):
    """One file written. `size` is in bytes."""

    entry: BundleEntry
    path: Path
    size: int


class Extractor:
    """Writes entries into one folder; no two files of a call get the same name."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise os_error(folder, "cannot make the folder", error) from None
        self._folder = folder
        self._taken: set[str] = set()

    def extract(
        self, binary: Binary, choose: Callable[[BundleEntry], bool] = lambda entry: True
    ) -> list[Extracted]:
        """Write the chosen device entries that have content, in the order of the file.

        What is damaged is recorded in its bundle and left out.
        """
        work = []
        for bundle in binary.bundles:
            entries = [e for e in bundle.device_entries if e.size and choose(e)]
            # Entries that overlap could make a small file write any amount.
            room = bundle.uncompressed_size
            chosen = []
            for entry in entries:
                room -= entry.size
                if room < 0 and bundle.format != "kpack archive":
                    bundle.record(
                        bundle.stored.fault(
                            0, f"entry {entry.id!r} is not extracted: entries overlap"
                        )
                    )
                    continue
                chosen.append((entry, self._name(binary, entry)))
            if chosen:
                work.append((bundle, chosen))
        with ThreadPoolExecutor(_WORKERS) as pool:
            done = pool.map(lambda item: self._bundle(*item), work)
            return [extracted for some in done for extracted in some]

    def _name(self, binary: Binary, entry: BundleEntry) -> str:
        """`<file>.<bundle>.<target>`, with the entry's number where that is taken."""
        file = safe_name(binary.path.replace("!", "/").rsplit("/", 1)[-1])
        target = safe_name(str(entry.target) if entry.target is not None else entry.id)
        name = f"{file}.{entry.bundle.index}.{target}"
        number = 1
        while name in self._taken:
            number += 1
            name = f"{file}.{entry.bundle.index}.{target}.{number}"
        self._taken.add(name)
        return name

    def _bundle(self, bundle: Bundle, chosen: list[tuple[BundleEntry, str]]) -> list[Extracted]:
        done: list[Extracted] = []
        try:
            if bundle.compression and bundle.format == "compressed bundle":
                _stream(bundle, chosen, self._folder, done)
                return done
        except FormatError as error:
            bundle.record(error)
            return done
        payload = bundle.payload()  # once for all entries
        for entry, name in chosen:
            try:
                source = entry.source()
                path = self._folder / (name + suffix(source.head(0, 4)))
                with replacing(path) as file:
                    _copy(source, file)
                done.append(Extracted(entry, path, entry.size))
            except FormatError as error:
                bundle.record(error)
        del payload
        return done


def suffix(head: bytes) -> str:
    """The extension for content that starts with these bytes."""
    return next((ending for magic, ending in _SUFFIXES if head.startswith(magic)), ".bin")


def _stream(
    bundle: Bundle, chosen: list[tuple[BundleEntry, str]], folder: Path, done: list[Extracted]
) -> None:
    """Cut the entries out of the decompressed stream as it passes."""
    waiting = sorted(chosen, key=lambda item: item[0].offset)
    offset, rest = 0, b""
    pieces = bundle.pieces()
    for entry, name in waiting:
        while offset + len(rest) <= entry.offset:
            offset += len(rest)
            rest = _next(pieces, bundle, offset)
        rest, offset = rest[entry.offset - offset :], entry.offset
        while len(rest) < 4 <= entry.size:
            rest += _next(pieces, bundle, offset + len(rest))
        path = folder / (name + suffix(rest[:4]))
        with replacing(path) as file:
            left = entry.size
            while left:
                if not rest:
                    rest = _next(pieces, bundle, offset)
                part, rest = rest[:left], rest[left:]
                file.write(part)
                left -= len(part)
                offset += len(part)
        done.append(Extracted(entry, path, entry.size))
    for _ in pieces:  # to the end, for the size and the hash
        pass


def _next(pieces: Iterable[bytes], bundle: Bundle, offset: int) -> bytes:
    for piece in pieces:
        return piece
    raise bundle.stored.fault(0, f"the decompressed bundle ends at {offset:#x}")


def _copy(source: Source, file: BinaryIO) -> None:
    """The whole source; by the kernel, without passing through this process, if it is a file."""
    position = 0
    parent = source.parent if isinstance(source, Window) else source
    start = source.start if isinstance(source, Window) else 0
    if isinstance(parent, FileSource) and hasattr(os, "copy_file_range"):
        file.flush()
        with suppress(OSError):  # another file system, an old kernel: copied below
            while position < source.size:
                count = os.copy_file_range(
                    parent.fileno(), file.fileno(), source.size - position, start + position
                )
                if count == 0:
                    break
                position += count
        file.seek(position)
    while position < source.size:
        part = source.read(position, min(PIECE, source.size - position))
        file.write(part)
        position += len(part)
