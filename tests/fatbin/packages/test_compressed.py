"""Compressed files that are no tar files, and files that are not ours at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path
from tests.fatbin.packages.test_packages import LIBRARY, PLAIN, tarred, zipped, zstd
from tests.support.binaries import BINARY, output_of, run, tool

CODE = (BINARY / "code-objects/v6-gfx1201.co").read_bytes()
PACKERS = [gzip.compress, bz2.compress, lzma.compress, zstd]


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize(
    ("content", "target"), [(CODE, "gfx1201"), (PLAIN, "gfx1201 gfx942:xnack+")]
)
def test_one_compressed_file(
    pack: Callable[[bytes], bytes], content: bytes, target: str, tmp_path: Path
) -> None:
    path = tmp_path / "kernels.packed"
    path.write_bytes(pack(content))
    result = run("list", "--targets", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{path}: {target}\n", "")
    assert len(run("kernels", path).stdout.splitlines()) > 3
    (tmp_path / "outer.zip").write_bytes(zipped(0, **{"a.gz": path.read_bytes()}))
    assert run("list", "--targets", tmp_path / "outer.zip").stdout.endswith(f"a.gz: {target}\n")


@pytest.mark.parametrize("pack", PACKERS)
def test_other_content_is_not_damage(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "manual.1.gz"
    path.write_bytes(pack(b".TH manual 1\n" * 400))
    result = run("list", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (
        result.stdout == f"{path}: compressed file, {path.stat().st_size} bytes, no device code\n"
    )
    assert run("list", tmp_path).stdout == ""


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("content", [CODE, tarred(lib=PLAIN, static=LIBRARY)])
def test_several_streams(pack: Callable[[bytes], bytes], content: bytes, tmp_path: Path) -> None:
    """As pigz, pbzip2, `xz -T` and `cat` write them."""
    path = tmp_path / "parts"
    half = len(content) // 2
    path.write_bytes(pack(content[:half]) + pack(content[half:]))
    found = list(open_path(str(path)))
    assert [len(b.bundles) for b in found] == ([1] if content is CODE else [1, 1])
    assert [list(b.all_faults()) for b in found] == [[]] * len(found)


@pytest.mark.parametrize("pack", PACKERS)
def test_a_compressed_file_that_is_cut_off(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(pack(CODE)[:-40])
    result = run("list", path)
    assert result.exit_code == 2 and str(path) in result.stderr


def test_a_compressed_file_above_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.gz"
    path.write_bytes(gzip.compress(CODE + bytes(1 << 20)))
    result = run("list", path, "--max-size", "64K")
    assert result.exit_code == 2
    assert "more than 1048576 bytes decompressed (if the file is trusted, raise" in result.stderr


@pytest.mark.parametrize("kind", ["gz", "xz", "tar.xz", "zip"])
def test_what_is_too_large_for_memory_goes_to_a_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without a name: nothing is left."""
    content, path = CODE + bytes(1 << 18), tmp_path / f"large.{kind}"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    if kind == "tar.xz":
        with tarfile.open(path, "w:xz") as archive:
            info = tarfile.TarInfo("a.co")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
            archive.writestr("a.co", content)
    else:
        path.write_bytes({"gz": gzip.compress, "xz": lzma.compress}[kind](content))
    (binary,) = open_path(str(path), Limits(max_size=1 << 16))
    assert binary.size == len(content) and not list(binary.all_faults())
    assert [entry.size for bundle in binary.bundles for entry in bundle.entries] == [len(CODE)]
    assert list(scratch.iterdir()) == []


def test_two_bytes_do_not_make_a_compressed_file(tmp_path: Path) -> None:
    for name, data in {"a": b"\x1f\x8b\x07" + b"x" * 99, "b": b"BZh9 is a word " * 9}.items():
        (tmp_path / name).write_bytes(data)
    result = run("list", tmp_path)
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("ident", "kind"),
    [
        (b"\1\1\1", "32-bit ELF file"),
        (b"\2\2\1", "big-endian ELF file"),
        (b"\1\2\1", "32-bit ELF file"),
    ],
)
def test_other_elf_files_are_not_ours(ident: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "lib.so"
    path.write_bytes(b"\x7fELF" + ident + bytes(9) + struct.pack("<HHI", 3, 3, 1) + bytes(200))
    result = run("list", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{path}: {kind}, {path.stat().st_size} bytes, no device code\n"
    (tmp_path / "a.zip").write_bytes(zipped(0, lib=path.read_bytes()))
    result = run("check", tmp_path)
    assert (result.exit_code, result.stdout) == (0, "nothing found\n")
    assert result.stderr == f"hipport: {tmp_path}: no file with device code in it\n"


@pytest.mark.toolchain
def test_real_32_bit_and_big_endian_objects(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int f(void) { return 1; }\n")
    for triple in ("i386-linux-gnu", "powerpc64-linux-gnu", "s390x-linux-gnu", "armv7-linux-gnu"):
        output_of(
            *(tool("clang-22"), f"--target={triple}", "-c", tmp_path / "a.c"),
            *("-o", tmp_path / f"{triple}.o"),
        )
    result = run("list", tmp_path)
    assert (result.exit_code, result.stdout) == (0, "")


LZ4 = b"\x04\x22\x4d\x18\x60\x40\x82" + struct.pack("<I", 1 << 31 | len(PLAIN)) + PLAIN + bytes(4)


def test_an_lz4_stream_is_no_bundle(tmp_path: Path) -> None:
    path = tmp_path / "kernels.lz4"
    path.write_bytes(LZ4)
    result = run("list", path)
    assert isinstance(result.exception, HipportError)
    assert str(result.exception) == f"{path}: an lz4 file, which is not opened (unpack it first)"
