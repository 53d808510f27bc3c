"""Writes a library, bundle, or wheel with code for fewer devices.

Everything but device code stays as it is, byte by byte; nothing is written unless the result,
read again, has exactly the code objects that it should have.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from hipport.errors import HipportError, UsageError
from hipport.fatbin.binary import Binary
from hipport.fatbin.byte_source import FileSource, Source
from hipport.fatbin.digest import sha256
from hipport.fatbin.limits import Limits
from hipport.fatbin.package_kinds import is_zip
from hipport.fatbin.reader import open_path
from hipport.fatbin.target_id import TargetId
from hipport.fatbin.writing import pe_checksum, slim_elf, slim_wheel
from hipport.fatbin.writing.safe_files import replacing
from hipport.fatbin.writing.slim_bundles import NewBundle, alignment, copy, is_amd, renew
from hipport.named_tuples import NamedTuple

_TAKES = "slim takes linked files, bundles and wheels of them"
SHRUNK, IN_PLACE, SAME = "shrunk", "filled with zeros", "unchanged"


class Slimmed(NamedTuple):
    """The result for one file. Sizes are in bytes."""

    path: str
    how: str
    """SHRUNK, IN_PLACE: as large as before, with zeros where code was, or SAME."""
    size_before: int
    size: int
    kept: dict[str, int]
    """Target -> bytes of its code objects, uncompressed."""
    dropped: dict[str, int]
    unserved: int
    """Bundles with code only for other devices: they could not be loaded before either."""
    note: str = ""


def slim(path: str, output: Path, devices: list[TargetId], limits: Limits) -> list[Slimmed]:
    """Write `path` to `output` without the code that none of the devices is given.

    Raises HipportError where a file is damaged or of a kind that is not rewritten, and where it
    has no code for any of the devices; then nothing is written.
    """
    if output.exists() and Path(path).exists() and output.samefile(path):
        raise UsageError(f"{output}: is the file itself", remedy="write to another file")
    if os.path.isdir(path):  # noqa: PTH112
        raise UsageError(f"{path}: is a folder", remedy="name a file")
    binaries = list(open_path(path, limits))
    _refuse(binaries, path)
    with replacing(output) as file:
        if not _is_wheel(path):
            done = [_one(binaries[0], devices, limits, file)]
        else:
            done = _wheel(path, binaries, devices, limits, file)
        if not any(each.kept for each in done):
            raise HipportError(
                f"{path}: no code for {', '.join(map(str, devices))} in it",
                remedy="hipport fatbin list --targets says what it has",
            )
    return done


def _refuse(binaries: list[Binary], path: str) -> None:
    for binary in binaries:
        for fault in binary.all_faults():
            raise HipportError(str(fault), remedy="damaged files are not rewritten")
    if not any(is_amd(e) for b in binaries for bundle in b.bundles for e in bundle.entries):
        raise HipportError(f"{path}: no AMD device code in it", remedy="name another file")
    if binaries[0].path != path and not _is_wheel(path):
        raise HipportError(f"{path}: a package that slim does not rewrite", remedy=_TAKES)


def _one(binary: Binary, devices: list[TargetId], limits: Limits, file: BinaryIO) -> Slimmed:
    """Write one file, read it again, and compare."""
    if binary.kind not in ("ELF shared object", "ELF executable", "PE image") and not (
        binary.kind.startswith("bare ")
    ):
        raise HipportError(
            f"{binary.path}: {binary.kind}, which slim does not rewrite",
            remedy=_TAKES,
        )
    if binary.kind == "PE image" and _signed(binary.source):
        raise HipportError(
            f"{binary.path}: it is signed, which a change would break",
            remedy="remove the signature first",
        )
    with tempfile.TemporaryFile(dir=_folder(file)) as spool:
        bundles = renew(binary, devices, spool)
        if not any(each.dropped for each in bundles):
            copy(binary.source, 0, binary.size, file)
            file.truncate(binary.size)
            return _result(binary, SAME, binary.size, bundles)
        how = _write(binary, bundles, limits, file)
        file.flush()
        if binary.kind == "PE image":
            checksum = pe_checksum.renewed(FileSource(file.name))
            if checksum is not None:
                file.seek(checksum[0])
                file.write(checksum[1])
                file.flush()
        _compare(binary, bundles, file, limits)
        return _result(binary, how, file.seek(0, 2), bundles)


def _is_wheel(path: str) -> bool:
    """Whether the reader took the file for a zip file: one may end with another."""
    return is_zip(FileSource(path).head(0, 4))


def _signed(image: Source) -> bool:
    """Whether a 64-bit Windows image has a certificate table (PE format, "Data Directories")."""
    header = int.from_bytes(image.read(60, 4), "little")
    return image.head(header + 24, 2) == b"\x0b\x02" and any(image.head(header + 24 + 112 + 32, 8))


def _write(binary: Binary, bundles: list[NewBundle], limits: Limits, file: BinaryIO) -> str:
    if binary.elf is not None:
        layout = slim_elf.plan(binary.elf, bundles, limits)
        if layout is not None:
            slim_elf.write(binary.elf, layout, bundles, file)
            return SHRUNK
    elif binary.kind.startswith("bare "):
        align = alignment([each.place for each in bundles])
        for each in bundles:
            file.seek(-(-file.tell() // align) * align)
            copy(each.content, 0, each.content.size, file)
        file.truncate()
        return SHRUNK
    position = 0
    for each in bundles:
        copy(binary.source, position, each.place, file)
        copy(each.content, 0, each.content.size, file)
        position = each.place + each.bundle.size
        file.seek(position)
    copy(binary.source, position, binary.size, file)
    file.truncate(binary.size)
    return IN_PLACE


def _compare(binary: Binary, bundles: list[NewBundle], file: BinaryIO, limits: Limits) -> None:
    """Raises HipportError unless the file just written holds exactly what it should hold, and
    its wrappers point there."""
    (found,) = open_path(file.name, limits)
    problem = next((str(fault) for fault in found.all_faults()), "")
    formats = {each.bundle.format for each in bundles}
    ours = [b for b in found.bundles if b.format in formats and not b.embedded]
    if len(ours) != len(bundles):
        problem = problem or f"{len(ours)} bundles instead of {len(bundles)}"
    for bundle, each in zip(sorted(ours, key=lambda b: b.place.offset), bundles, strict=False):
        wanted = [(e.id, e.size, sha256(e.source())) for e in each.kept]
        if wanted != [(e.id, e.size, sha256(e.source())) for e in bundle.entries]:
            problem = problem or f"bundle {each.bundle.index} has other entries"
    if _wrapped(binary, limits) != _wrapped(found, limits):
        problem = problem or "a wrapper points elsewhere"
    if problem:
        raise HipportError(
            f"{binary.path}: the new file is not as it should be: {problem}",
            remedy="please report this; nothing was written",
        )


def _wrapped(binary: Binary, limits: Limits) -> list[int | None]:
    """For each wrapper, by address: the number of its bundle."""
    from hipport.fatbin.host.wrappers import read_wrappers

    if binary.elf is None or not binary.elf.segments:
        return []
    numbers = {bundle.place.offset: bundle.index for bundle in binary.bundles}
    return [
        numbers.get(wrapper.bundle_offset) if wrapper.bundle_offset is not None else None
        for wrapper in read_wrappers(binary.elf, limits)
    ]


def _result(binary: Binary, how: str, size: int, bundles: list[NewBundle]) -> Slimmed:
    kept: dict[str, int] = {}
    dropped: dict[str, int] = {}
    for each in bundles:
        for into, entries in ((kept, each.kept), (dropped, each.dropped)):
            for entry in entries:
                if is_amd(entry) and entry.size:
                    name = str(entry.target)
                    into[name] = into.get(name, 0) + entry.size
    unserved = sum(
        any(e.size for e in each.dropped) and not any(is_amd(e) for e in each.kept)
        for each in bundles
    )
    return Slimmed(binary.path, how, binary.size, size, kept, dropped, unserved)


def _wheel(
    path: str, binaries: list[Binary], devices: list[TargetId], limits: Limits, file: BinaryIO
) -> list[Slimmed]:
    """A zip file whose members are rewritten one by one; those that cannot be rewritten stay."""
    done: list[Slimmed] = []
    names = {binary.path.removeprefix(f"{path}!"): binary for binary in binaries}

    def replaced() -> Iterator[tuple[str, Path]]:
        with tempfile.TemporaryDirectory(dir=_folder(file), prefix=".hipport-") as folder:
            for name, binary in names.items():
                if not any(is_amd(e) for b in binary.bundles for e in b.entries):
                    continue
                temporary = Path(folder) / "member"
                try:
                    with temporary.open("wb") as member:
                        result = _one(binary, devices, limits, member)
                except HipportError as error:
                    done.append(_left(binary, error))
                    continue
                done.append(result)
                if result.how != SAME:
                    yield name, temporary

    slim_wheel.rewrite(path, file, replaced())
    return done


def _left(binary: Binary, error: HipportError) -> Slimmed:
    result = _result(binary, SAME, binary.size, [])
    return result._replace(note=error.message.removeprefix(f"{binary.path}: "))


def _folder(file: BinaryIO) -> str:
    """The folder for the new file: it has room, and a rename stays within the file system."""
    return str(Path(file.name).parent)
