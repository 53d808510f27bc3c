"""Wheels, zip and tar files, archives in archives: read in place."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.byte_source import FileSource, MemorySource, Window
from hipport.fatbin.limits import Limits
from hipport.fatbin.packages import held
from hipport.fatbin.packages.held import hold
from hipport.fatbin.packages.inflated import STEP, Inflated
from hipport.fatbin.reader import open_path
from hipport.zstd import zstd as zstd_module
from tests.support.binaries import BINARY, run

PLAIN = (BINARY / "bundles/plain.hipfb").read_bytes()
LIBRARY = (BINARY / "archive/libkernels.a").read_bytes()


def zipped(method: int, **members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(**members: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        archive.addfile(tarfile.TarInfo("folder"))
    return out.getvalue()


def zstd(data: bytes) -> bytes:
    packed: bytes = zstd_module().compress(data)
    return packed


def found(path: Path) -> list[tuple[str, int]]:
    """Member path and number of bundles."""
    return [(b.path.partition("!")[2], len(b.bundles)) for b in open_path(str(path))]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_zip_members(method: int, tmp_path: Path) -> None:
    path = tmp_path / "a.whl"
    path.write_bytes(zipped(method, text=b"no device code" * 99, lib=PLAIN, static=LIBRARY))
    before = sorted(tmp_path.iterdir())
    assert found(path) == [("lib", 1), ("static!an_object_with_a_long_name.o", 1)]
    assert sorted(tmp_path.iterdir()) == before  # nothing is unpacked to disk


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, zstd])
def test_tar_members(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(pack(tarred(text=b"x" * 1000, lib=PLAIN, static=LIBRARY)))
    assert found(path) == [("lib", 1), ("static!an_object_with_a_long_name.o", 1)]


def test_long_names_of_each_kind(tmp_path: Path) -> None:
    """The old form has room for 155 bytes of folders and 100 of a name."""
    long, longer = "deep/" * 30 + "lib.hipfb", "deep/" * 40 + "lib.hipfb"
    forms = (
        (tarfile.USTAR_FORMAT, long),
        (tarfile.GNU_FORMAT, longer),
        (tarfile.PAX_FORMAT, longer),
    )
    for form, name in forms:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=form) as archive:
            info = tarfile.TarInfo(name)
            info.size = len(PLAIN)
            # Records of the last form, before that of the name.
            info.pax_headers = {"atime": "1.5", "comment": "path=wrong"}
            archive.addfile(info, io.BytesIO(PLAIN))
        path = tmp_path / f"{form}.tar"
        path.write_bytes(out.getvalue())
        assert found(path) == [(name, 1)]


def test_packages_in_packages(tmp_path: Path) -> None:
    path = tmp_path / "outer.zip"
    wheel = zipped(zipfile.ZIP_DEFLATED, lib=PLAIN)
    path.write_bytes(
        zipped(zipfile.ZIP_STORED, **{"inner.tar.gz": gzip.compress(tarred(whl=wheel))})
    )
    assert found(path) == [("inner.tar.gz!whl!lib", 1)]
    result = run("extract", path, "-o", tmp_path / "out", "--target", "gfx1201")
    assert result.exit_code == 0
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["lib.0.gfx1201.co"]


def test_members_of_the_same_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(zipfile.ZIP_STORED, **{"a/lib": PLAIN, "b/lib": PLAIN}))
    assert run("extract", path, "-o", tmp_path / "out", "--target", "gfx1201").exit_code == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "lib.0.gfx1201.2.co",
        "lib.0.gfx1201.co",
    ]


def test_a_member_above_the_limit_is_read_without_holding_it(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(zipfile.ZIP_DEFLATED, lib=PLAIN))
    (binary,) = open_path(str(path), Limits(max_size=1000))
    assert isinstance(binary.source, Inflated)
    assert [e.size for e in binary.bundles[0].entries] == [0, 6520, 6360]


def test_inflated_reads_any_part_in_any_order() -> None:
    content = bytes(range(251)) * (3 * STEP // 251 + 2)
    packed = zipped(zipfile.ZIP_DEFLATED, x=content)
    start = 30 + 1
    source = Inflated(
        Window(MemorySource(packed, "zip"), start, len(packed) - start),
        len(content),
        zlib.crc32(content),
        "x",
    )
    for offset, size in [
        (len(content) - 10, 10),
        (0, 100),
        (STEP - 5, 10),
        (2 * STEP - 1, STEP + 2),
        (STEP, 10),
        (2 * STEP - 10, 10),
        (2 * STEP + 7, 1),
        (17, 0),
    ]:
        assert source.read(offset, size) == content[offset : offset + size]


def test_a_compressed_tar_stops_at_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar.gz"
    path.write_bytes(gzip.compress(tarred(zeros=bytes(40 << 20), lib=PLAIN)))
    (binary,) = open_path(str(path), Limits(max_size=1 << 20))
    (fault,) = binary.faults
    assert fault.problem == f"more than {16 << 20} bytes decompressed"
    assert "--max-size" in str(fault)


def test_a_file_that_shrinks_is_an_error_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "lib"
    path.write_bytes(PLAIN)
    source = FileSource(str(path))
    path.write_bytes(PLAIN[:100])
    with pytest.raises(Exception, match="the file became shorter while it was read"):
        source.read(0, len(PLAIN))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = run("list", tmp_path / "pipe")
    assert (
        str(result.exception)
        == f"{tmp_path / 'pipe'}: cannot read: not a regular file (name a file)"
    )


def test_names_of_members_cannot_move_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped(zipfile.ZIP_STORED, **{"\x1b[2Jlib": PLAIN[:300]}))
    result = run("list", path)
    assert result.exit_code == 2
    assert "\x1b" not in result.stdout + result.stderr and "\\x1b[2Jlib" in result.stdout


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("limit", [256 << 20, 1000])
def test_the_crc_of_a_member_is_checked(method: int, limit: int, tmp_path: Path) -> None:
    if method == zipfile.ZIP_BZIP2 and limit == 1000:
        return  # refused for its size
    path = tmp_path / "a.zip"
    packed = bytearray(zipped(method, lib=PLAIN))
    at = packed.rfind(b"PK\x01\x02") + 16
    packed[at] ^= 1
    path.write_bytes(packed)
    found = [
        fault for b in open_path(str(path), Limits(max_size=limit)) for fault in b.all_faults()
    ]
    if limit == 1000 and method == zipfile.ZIP_DEFLATED:
        (binary,) = open_path(str(path), Limits(max_size=limit))
        with pytest.raises(
            HipportError, match=r"damaged: its CRC is [0-9a-f]{8}, [0-9a-f]{8} is declared"
        ):
            binary.source.read(0, binary.source.size)
        return
    assert "damaged: its CRC is" in found[0].problem
    assert run("check", path).exit_code == 2


def test_a_member_that_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(held.tempfile, "TemporaryFile", full)
    assert hold([b"12", b"3"], Limits(max_size=3), "a!b").read(0, 3) == b"123"
    with pytest.raises(HipportError) as error:
        hold([b"12", b"34"], Limits(max_size=3), "a!b")
    why = "cannot keep a!b there: No space left on device"
    assert str(error.value).startswith(f"{held.tempfile.gettempdir()}: {why} (free some space")
    with pytest.raises(HipportError) as error:
        hold([bytes(49)], Limits(max_size=3), "a!b")
    assert str(error.value).startswith("a!b: offset 0x0: more than 48 bytes decompressed")
