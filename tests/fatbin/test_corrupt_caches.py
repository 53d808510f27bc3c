"""Damaged caches, archives and data: each fault is named, and what is sound is still listed."""

from __future__ import annotations

import bz2
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.errors import HipportError
from tests.support.binaries import BINARY, run

CACHES = BINARY / "caches"
AKS2 = (CACHES / "kernels.aks2").read_bytes()
FLAT = (CACHES / "iree/flat.vmfb").read_bytes()
MIOPEN = (CACHES / "miopen.kdb").read_bytes()
ROCFFT = (CACHES / "rocfft_kernel_cache.db").read_bytes()
SPIRV = (CACHES / "spirv.hipfb").read_bytes()
GFX942 = (BINARY / "code-objects/v5-gfx942_xnack+.co").read_bytes()
BOTH, ONE, NONE = "gfx942:xnack+ gfx1201", "gfx942", "-"
Case = tuple[bytes, str, str]
"""The file; part of what is said, empty where nothing is wrong; targets still listed."""


def aks2(rows: bytes, images: bytes, count: int, **fields: int) -> bytes:
    content = rows + images
    size, directory = fields.get("size", len(content)), fields.get("directory", len(rows))
    return b"AKS2" + struct.pack("<III", size, count, directory) + lzma.compress(content)


def row(offset: int, size: int, name: bytes = b"k\0", length: int | None = None) -> bytes:
    stated = len(name) if length is None else length
    return struct.pack("<IIIII", 0, 64, offset, size, stated) + name


def put(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


SOUND = row(0, len(GFX942))
XNACK = "gfx942:xnack+"
AOTRITON: dict[str, Case] = {
    "header cut": (AKS2[:12], "not a file that can hold", NONE),
    "header alone": (AKS2[:16], "not a file that can hold", NONE),
    "no xz": (put(AKS2, 16, b"xxxxxx"), "not a file that can hold", NONE),
    "xz damaged": (put(AKS2, 400, bytes(40)), "damaged xz data", NONE),
    "xz cut": (AKS2[:-60], "cut off", NONE),
    "size of 4 GB": (put(AKS2, 4, b"\xff" * 4), "says it decompresses to 4294967295", NONE),
    "size too small": (aks2(SOUND, GFX942, 1, size=4000), "declares 4000", NONE),
    "count of 4 G": (put(AKS2, 8, b"\xff" * 4), "4294967295 kernels in a directory", NONE),
    "count too large": (aks2(SOUND, GFX942, 2), "reaches past the directory", NONE),
    "count too small": (aks2(SOUND * 2, GFX942, 1), "the directory ends here", XNACK),
    "directory too large": (put(AKS2, 12, b"\xff" * 4), "in a directory of 4294967295", NONE),
    "directory too small": (aks2(SOUND, GFX942, 1, directory=9), "past the directory", NONE),
    "name too long": (aks2(row(0, 9, b"k\0", 1 << 30), GFX942, 1), "past the directory", NONE),
    "name no text": (aks2(row(0, len(GFX942), b"\xff\x1b[2J\0"), GFX942, 1), "", XNACK),
    "image past end": (aks2(row(9999, 64), GFX942, 1), "reach past the end", NONE),
    "image too large": (aks2(row(0, 1 << 31), GFX942, 1), "reach past the end", NONE),
    "image no ELF": (aks2(row(0, 64), bytes(64), 1), "not an ELF file", NONE),
    "image too short": (aks2(row(0, 9), GFX942, 1), "an ELF header has 64 bytes", NONE),
    "one of two": (aks2(row(9999, 9) + SOUND, GFX942, 2), "reach past the end", XNACK),
    "no kernels": (aks2(b"", b"", 0), "", NONE),
}
ELF_AT = FLAT.find(b"\x7fELF")
IREE: dict[str, Case] = {
    "code object cut": (FLAT[: ELF_AT + 2000], "reach past the end", ONE),
    "cut in its header": (FLAT[: ELF_AT + 20], "an ELF header has 64 bytes", NONE),
    "length of 4 GB": (put(FLAT, ELF_AT - 4, b"\xff" * 4), "", ONE),
    "length 0": (put(FLAT, ELF_AT - 4, bytes(4)), "", ONE),
    "length too small": (put(FLAT, ELF_AT - 4, b"\x80\0\0\0"), "reach past the end", ONE),
    "other machine": (put(FLAT, ELF_AT + 18, b"\x3e\0"), "not an AMDGPU code object", NONE),
    "unknown processor": (put(FLAT, ELF_AT + 48, b"\xfe\x05\0\0"), "", NONE),
    "sections past end": (put(FLAT, ELF_AT + 40, b"\xff" * 7), "reach past the end", ONE),
    "segments past end": (put(FLAT, ELF_AT + 32, b"\xff" * 7), "reach past the end", ONE),
    "identifier alone": (FLAT[:12], "", NONE),
    "magic alone": (FLAT[:64] + b"\x7fELF\x02\x01\x01\x40", "an ELF header has", NONE),
    "twice": (FLAT[:60] + bytes(4) + GFX942 + bytes(8) + GFX942, "", XNACK),
}
BLOB_AT = MIOPEN.find(b"BZh9")
CODE_AT = MIOPEN.find(b"\x7fELF")
DATABASES: dict[str, Case] = {
    "header alone": (MIOPEN[:100], "damaged SQLite database", NONE),
    "magic alone": (MIOPEN[:16], "damaged SQLite database", NONE),
    "cut to a page": (MIOPEN[:4096], "damaged SQLite database", NONE),
    "cut in a page": (MIOPEN[:9000], "damaged SQLite database", NONE),
    "page size 0": (put(MIOPEN, 16, b"\0\0"), "damaged SQLite database", NONE),
    "page size 3": (put(MIOPEN, 16, b"\0\3"), "damaged SQLite database", NONE),
    "schema damaged": (put(MIOPEN, 100, b"\xff" * 200), "damaged SQLite database", NONE),
    "statement damaged": (MIOPEN.replace(b"CREATE TABLE", b"CREATE TABEL"), "damaged", NONE),
    "read version 9": (put(MIOPEN, 19, b"\x09"), "", BOTH),
    "bzip2 damaged": (put(MIOPEN, BLOB_AT + 60, bytes(30)), "damaged bz2 data", "gfx1201"),
    "bzip2 of nothing": (put(MIOPEN, BLOB_AT, bz2.compress(b"")), "", "gfx1201"),
    "blob no ELF": (put(MIOPEN, CODE_AT, b"\x7fELG"), "", XNACK),
    "machine 62": (put(MIOPEN, CODE_AT + 18, b"\x3e\0"), "", XNACK),
    "32-bit": (put(MIOPEN, CODE_AT + 4, b"\x01"), "not a 64-bit little-endian", XNACK),
    "code damaged": (put(ROCFFT, ROCFFT.find(b"\x7fELF") + 64, b"\xff" * 400), "", XNACK),
}
MODULE = SPIRV.find(b"\x03\x02\x23\x07")
MODULES: dict[str, Case] = {
    "header alone": (SPIRV[: MODULE + 20], "reach past the end", NONE),
    "instruction of 0 words": (put(SPIRV, MODULE + 20, bytes(4)), "", "amdgcnspirv"),
    "instruction too long": (put(SPIRV, MODULE + 22, b"\xff\xff"), "", "amdgcnspirv"),
    "magic damaged": (put(SPIRV, MODULE, b"\0"), "", "amdgcnspirv"),
}
DATA: dict[str, Case] = {
    "code object cut": (GFX942[:900], "reach past the end", XNACK),
    "two bundles, one cut": (SPIRV[:-4], "reach past the end", NONE),
    "text alone": (b"__CLANG_OFFLOAD_BUNDLE__ is how a bundle begins", "limit is", NONE),
    "sections of 2 ** 60": (put(GFX942, 40, b"\xff" * 8), "reach past the end", XNACK),
}
GROUPS = {"aks2": AOTRITON, "vmfb": IREE, "kdb": DATABASES, "hipfb": MODULES, "co": DATA}
CASES = [(kind, name) for kind, cases in GROUPS.items() for name in cases]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_fault_is_named_and_the_rest_is_listed(kind: str, name: str, tmp_path: Path) -> None:
    data, message, targets = GROUPS[kind][name]
    path = tmp_path / f"input.{kind}"
    path.write_bytes(data)
    result = run("list", "--targets", path)
    refused = isinstance(result.exception, HipportError)
    said = str(result.exception) if refused else result.stderr
    assert message in said if message else said == ""
    assert refused or (result.exit_code == 2) == bool(message), result.output
    if not refused:
        assert result.stdout == f"{path}: {targets}\n"
    for command in (["kernels"], ["check", "--require", "gfx942"], ["sbom"], ["list", "--summary"]):
        finished(lambda c=command: run(*c, path))
    finished(lambda: run("slim", path, "-o", tmp_path / "out", "--targets", "gfx942"))
    assert {each.name for each in tmp_path.iterdir()} <= {path.name, "out"}


def finished(command: Callable[[], object]) -> None:
    result = command()
    error = getattr(result, "exception", None)
    assert error is None or isinstance(error, (SystemExit, HipportError)), repr(error)


def test_there_are_enough() -> None:
    assert len(CASES) >= 55


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.o", "cannot be read: No such file"),
        ("folder", "cannot be read: not a regular file"),
        ("../outside.o", "lies outside its folder"),
        ("/etc/passwd", "lies outside its folder"),
        ("a\0b", "cannot be read"),
        ("x" * 300, "cannot be read: File name too long"),
    ],
)
def test_thin_archives(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    table = f"{name}/\n".encode()
    table += b"\n" * (len(table) % 2)
    data = b"!<thin>\n" + b"//".ljust(48) + str(len(table)).encode().ljust(10) + b"`\n" + table
    data += b"/0".ljust(16) + b"0".ljust(32) + b"64".ljust(10) + b"`\n"
    path = tmp_path / "thin.a"
    path.write_bytes(data)
    result = run("list", path)
    assert result.exit_code == 2 and message in result.stderr
