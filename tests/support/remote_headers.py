"""Headers in wheels of the package index, read without the rest of a wheel: cuBLAS's has 400 MB.

A wheel is a ZIP archive, whose directory is at its end (APPNOTE 4.3.6): ranges of it are enough.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tomllib
import zipfile
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version
from pypi_simple import DistributionPackage, PyPISimple

from tests.support.fetch import cache_folder

TABLE = Path(__file__).with_name("cuda_headers.toml")
ROCM = TABLE.with_name("rocm_declarations.toml")
# The declarations of headers for Cython (.pxd) are what the index has of ROCm's.
_HEADER = re.compile(r"\.(?:h|hpp|cuh|pxd)\Z")
_BLOCK = 1 << 18
_LARGEST = 64 << 20


class Pin(NamedTuple):
    """A wheel, and the SHA-256 of the names and contents of its headers."""

    project: str
    filename: str
    sha256: str


def pins() -> list[Pin]:
    with TABLE.open("rb") as file:
        return [Pin(project, **row) for project, row in tomllib.load(file).items()]


def rocm_pins() -> dict[str, list[Pin]]:
    """Release of ROCm -> the wheels with its declarations."""
    with ROCM.open("rb") as file:
        found = tomllib.load(file)
    return {release: [Pin(**row) for row in rows["wheels"]] for release, rows in found.items()}


def headers(pin: Pin) -> Path:
    """The folder in the cache that holds the headers of a wheel; ValueError if they differ."""
    folder = cache_folder() / "headers" / pin.filename.removesuffix(".whl")
    if not folder.is_dir():
        with PyPISimple() as index:
            packages = index.get_project_page(pin.project).packages
            (wheel,) = [each for each in packages if each.filename == pin.filename]
            read_headers(index, wheel, folder)
    if pin.sha256 and digest(folder) != pin.sha256:
        shutil.rmtree(folder)
        raise ValueError(f"{pin.filename}: its headers are not those that were pinned")
    return folder


def newest(project: str) -> Pin:
    """The newest wheel of a project for this kind of machine, whatever its headers are."""
    with PyPISimple() as index:
        wheels = [
            each
            for each in index.get_project_page(project).packages
            if each.filename.endswith(("x86_64.whl", "none-any.whl")) and each.version
        ]
    wheel = max(wheels, key=lambda each: Version(each.version or ""))
    return Pin(project, wheel.filename, "")


def read_headers(index: PyPISimple, wheel: DistributionPackage, folder: Path) -> None:
    """Put the headers of a wheel into a folder, or nothing of it."""
    partial = folder.with_name(f"{folder.name}.part")
    # Buffered, because a raw file may give less than it is asked for (io.RawIOBase.read).
    remote = io.BufferedReader(_Remote(index, wheel.url), _BLOCK)
    with remote, zipfile.ZipFile(remote) as archive:
        for member in archive.infolist():
            path = partial / member.filename
            if not _HEADER.search(member.filename) or member.file_size > _LARGEST:
                continue
            if not path.resolve().is_relative_to(partial.resolve()):
                raise ValueError(f"{wheel.filename}: {member.filename} leaves the folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(member))
    partial.replace(folder)


def digest(folder: Path) -> str:
    """The SHA-256 of the names and contents of all files, in order."""
    found = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


class _Remote(io.RawIOBase):
    """A file on a server that answers ranges (RFC 9110, section 14)."""

    def __init__(self, index: PyPISimple, url: str) -> None:
        self._index, self._url, self._at = index, url, 0
        answer = index.s.head(url, allow_redirects=True)
        answer.raise_for_status()
        self._size = int(answer.headers["Content-Length"])
        self._blocks: dict[int, bytes] = {}

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        number, start = divmod(self._at, _BLOCK)
        piece = self._block(number)[start : start + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def _block(self, number: int) -> bytes:
        if number * _BLOCK >= self._size:
            return b""
        if number not in self._blocks:
            last = min(self._size, (number + 1) * _BLOCK) - 1
            answer = self._index.s.get(
                self._url, headers={"Range": f"bytes={number * _BLOCK}-{last}"}
            )
            if answer.status_code != 206:
                raise ValueError(f"{self._url}: the server sends no ranges")
            self._blocks[number] = answer.content
        return self._blocks[number]
