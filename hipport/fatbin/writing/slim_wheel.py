"""A wheel with new content in some of its members, and a RECORD that matches.

Members that stay are copied as they are stored. RECORD: PyPA, "Binary distribution format".
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO

from hipport.errors import HipportError
from hipport.fatbin.byte_source import PIECE

_SIGNATURES = (".dist-info/RECORD.jws", ".dist-info/RECORD.p7s")
# What zipfile raises for damaged and encrypted files, and a full disk.
_DAMAGE = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError),
    *(KeyError, struct.error, zlib.error),
)
_DESCRIPTOR = 8  # APPNOTE 4.4.4, bit 3: sizes follow the data


def rewrite(path: str, file: BinaryIO, replaced: Iterator[tuple[str, Path]]) -> None:
    """Write the zip file at `path` to `file`; `replaced` yields the names and the new content of
    members, which is read before the next is asked for. Raises HipportError for a signed wheel."""
    try:
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(file, "w") as new:
            _rewrite(old, new, replaced)
    except _DAMAGE as error:
        raise HipportError(f"{path}: cannot be rewritten: {error}") from None


def _rewrite(
    old: zipfile.ZipFile, new: zipfile.ZipFile, replaced: Iterator[tuple[str, Path]]
) -> None:
    signed = [name for name in old.namelist() if name.endswith(_SIGNATURES)]
    if signed:
        raise HipportError(
            f"{old.filename}: it is signed ({signed[0]}), which a change would break",
            remedy="remove the signature first",
        )
    rows: dict[str, tuple[str, int]] = {}
    # The order of the old file cannot be kept without holding members back: zip files need none.
    for name, content in replaced:
        info = old.getinfo(name)
        with content.open("rb") as source, new.open(_fresh(info), "w", force_zip64=True) as member:
            copyfileobj(source, member, PIECE)
        rows[name] = _hash(content)
    for info in old.infolist():
        if info.filename in rows:
            continue
        if info.filename.endswith(".dist-info/RECORD") and rows:
            new.writestr(_fresh(info), _record(old.read(info), rows))
        else:
            _copy(old, info, new)


def _fresh(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """A member of the same name, date, mode and compression."""
    fresh = zipfile.ZipInfo(info.filename, info.date_time)
    fresh.external_attr, fresh.create_system = info.external_attr, info.create_system
    fresh.compress_type = info.compress_type
    return fresh


def _copy(old: zipfile.ZipFile, info: zipfile.ZipInfo, new: zipfile.ZipFile) -> None:
    """The member's stored bytes behind a new local header."""
    source, target = old.fp, new.fp
    assert source is not None and target is not None
    source.seek(info.header_offset + 26)
    name_length, extra_length = struct.unpack("<HH", source.read(4))
    source.seek(name_length + extra_length, 1)
    info.flag_bits &= ~_DESCRIPTOR
    target.seek(new.start_dir)
    info.header_offset = target.tell()
    target.write(info.FileHeader())
    left = info.compress_size
    while left:
        piece = source.read(min(left, PIECE))
        if not piece:
            raise zipfile.BadZipFile(f"{info.filename} is cut off")
        target.write(piece)
        left -= len(piece)
    new.filelist.append(info)
    new.NameToInfo[info.filename] = info
    new.start_dir = target.tell()


def _hash(content: Path) -> tuple[str, int]:
    with content.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    text = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return f"sha256={text}", content.stat().st_size


def _record(data: bytes, rows: dict[str, tuple[str, int]]) -> bytes:
    text = data.decode("utf-8")
    out = io.StringIO()
    ending = "\r\n" if "\r\n" in text else "\n"
    writer = csv.writer(out, lineterminator=ending)
    for row in csv.reader(io.StringIO(text, newline="")):
        if row and row[0] in rows:
            digest, size = rows[row[0]]
            row = [row[0], digest, str(size)]
        writer.writerow(row)
    return out.getvalue().encode("utf-8")
