"""Caches and archives of other programs: databases, AOTriton, IREE, Triton, SPIR-V, data."""

from __future__ import annotations

import bz2
import hashlib
import json
import shutil
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.formats import kernel_database
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path
from tests.support.binaries import BINARY, only, output_of, run, tool

CACHES = BINARY / "caches"
GFX942 = (BINARY / "code-objects/v5-gfx942_xnack+.co").read_bytes()
GFX1201 = (BINARY / "code-objects/v6-gfx1201.co").read_bytes()


def entries(path: Path) -> list[tuple[str, str, bytes]]:
    """ID, name and content of each entry."""
    return [
        (entry.id.rpartition("--")[2], entry.image_kind, bytes(entry.source().view(0, entry.size)))
        for bundle in only(path).bundles
        for entry in bundle.entries
    ]


def test_a_database_of_miopen() -> None:
    assert entries(CACHES / "miopen.kdb") == [
        ("gfx942:xnack+", "a.cpp.o  -mcpu=gfx942:xnack+", GFX942),
        ("gfx1201", "b.cpp.o  -mcpu=gfx1201", GFX1201),
    ]


def test_a_database_of_rocfft() -> None:
    path = CACHES / "rocfft_kernel_cache.db"
    assert entries(path) == [("gfx942:xnack+", "fft_fwd gfx942", GFX942)]


def test_databases_in_packages(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(CACHES / "miopen.kdb", "db/gfx942.kdb")
    (tmp_path / "gfx942.kdb.bz2").write_bytes(bz2.compress((CACHES / "miopen.kdb").read_bytes()))
    for name in ("a.whl", "gfx942.kdb.bz2"):
        assert [content for _, _, content in entries(tmp_path / name)] == [GFX942, GFX1201]


def test_reading_a_database_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """One with a write-ahead log would get two files when it is opened for writing."""
    path = tmp_path / "wal.kdb"
    shutil.copy(CACHES / "miopen.kdb", path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
    before = path.read_bytes()
    assert before[18:20] == b"\2\2"
    assert len(entries(path)) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["wal.kdb"]
    assert path.read_bytes() == before
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "wal.kdb")
    assert len(entries(tmp_path / "a.zip")) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW kern AS SELECT randomblob(1000000000) AS kernel_blob",
        "CREATE TABLE t (a, b AS (upper(a)))",
        "CREATE TABLE kern (kernel_blob BLOB PRIMARY KEY) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE kern USING fts5(kernel_blob)",
        'CREATE TABLE "a""b; DROP TABLE c" ("x""y" BLOB)',
    ],
)
def test_a_database_runs_nothing(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)
    result = run("list", path)
    assert (result.exit_code, result.stdout.partition(", ")[2]) == (
        0,
        f"{path.stat().st_size} bytes, no device code\n",
    )


def test_other_databases_in_folders_are_passed_over(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "photos.db")) as database, database:
        database.execute("CREATE TABLE photo (data BLOB)")
        database.execute("INSERT INTO photo VALUES (?)", (b"\xff\xd8" * 999,))
    assert list(open_path(str(tmp_path))) == []


def test_a_damaged_database_is_said() -> None:
    data = bytearray((CACHES / "miopen.kdb").read_bytes())
    data[100:] = b"\xff" * (len(data) - 100)
    with pytest.raises(Exception, match="a damaged SQLite database"):
        kernel_database.read(MemorySource(bytes(data), "input"), Limits())


def test_a_database_with_names_that_are_no_utf_8(tmp_path: Path) -> None:
    data = (CACHES / "miopen.kdb").read_bytes()
    for old in (b"a.cpp.o", b"kernel_hash", b"kern_db"):
        path = tmp_path / "names.kdb"
        path.write_bytes(data.replace(old, old[:-1] + b"\x85"))
        result = run("list", path)
        assert result.exit_code in (0, 2) and result.exception.__class__ in (
            SystemExit,
            None.__class__,
        )


def test_a_blob_that_lies_about_its_size(tmp_path: Path) -> None:
    path = tmp_path / "lie.kdb"
    shutil.copy(CACHES / "miopen.kdb", path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE kern_db SET uncompressed_size = 9 WHERE id = 1")
    result = run("kernels", path)
    assert result.exit_code == 2 and "gfx1201" in result.stdout
    assert f"{path}[kern_db, row 1]: offset 0x0: decompresses to 6360 bytes, declares 9" in (
        result.stderr
    )


def test_an_archive_of_aotriton() -> None:
    """A kernel that could not be compiled has no image."""
    assert entries(CACHES / "kernels.aks2") == [
        ("gfx942:xnack+", "kernel__0", GFX942),
        ("gfx1201", "kernel__2", GFX1201),
    ]


def test_modules_of_iree() -> None:
    for name in ("flat", "zip"):
        ((target, _, content),) = entries(CACHES / f"iree/{name}.vmfb")
        assert target == "gfx942" and content[:4] == b"\x7fELF"
        names = json.loads(run("kernels", CACHES / f"iree/{name}.vmfb", "--format", "json").stdout)[
            "kernels"
        ]
        assert [each["name"] for each in names] == ["add_dispatch_0_elementwise_1024_f32"]


def test_a_cache_of_triton() -> None:
    result = run("list", CACHES / "triton")
    assert (
        "note: made by Triton: name add_kernel, num_warps 4, num_ctas 1, num_stages 2, "
        "waves_per_eu 0, shared 0, triton_version 3.9.0, arch gfx942\n"
    ) in result.stdout
    assert run("list", CACHES / "triton/add_kernel.hsaco").stdout == result.stdout


@pytest.mark.parametrize("text", ["[", "[1]", "{}", '{"target": 1, "name": "a"}', "[" * 99999])
def test_other_json_beside_a_code_object(text: str, tmp_path: Path) -> None:
    shutil.copy(CACHES / "triton/add_kernel.hsaco", tmp_path / "a.hsaco")
    (tmp_path / "a.json").write_text(text)
    result = run("list", tmp_path)
    assert result.exit_code == 0 and "note:" not in result.stdout


def test_the_kernels_of_spirv() -> None:
    result = run("kernels", CACHES / "spirv.hipfb")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["amdgcnspirv", *"-" * 9, "scale"],
        ["amdgcnspirv", *"-" * 9, "other"],
    ]
    (kernel, _) = json.loads(run("kernels", CACHES / "spirv.hipfb", "--format", "json").stdout)[
        "kernels"
    ]
    assert kernel["vgpr"] is None


def test_what_is_not_opened_is_named_wherever_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.rpm").write_bytes(b"\xed\xab\xee\xdb" + bytes(600))
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.7z", b"7z\xbc\xaf\x27\x1c" + bytes(600))
    for command in ("list", "kernels", "check", "diff", "sbom"):
        files = [folder, folder] if command == "diff" else [folder]
        result = run(command, *files)
        assert f"{folder}/a.rpm: an rpm package, which is not opened" in result.stderr
        assert f"{folder}/a.zip!inner.7z: a 7z file, which is not opened" in result.stderr
        assert result.exit_code == 0
    checked = run("check", folder, "--require", "gfx942")
    assert checked.exit_code == 1
    assert "a.rpm: an rpm package, which is not opened: no code for gfx942" in checked.stdout


def test_a_cache_of_numba(tmp_path: Path) -> None:
    (tmp_path / "f.py312.1.nbc").write_bytes(b"\x80\x04\x95pickle" + GFX942 + b"more")
    (found,) = open_path(str(tmp_path))
    assert [entry.size for bundle in found.bundles for entry in bundle.entries] == [len(GFX942)]


@pytest.mark.toolchain
def test_code_objects_in_data(tmp_path: Path) -> None:
    """As `ld -r -b binary` and arrays of bytes leave them; text that looks like one is none."""
    (tmp_path / "blob").write_bytes(GFX942)
    subprocess.run(
        [tool("ld.bfd"), "-r", "-b", "binary", "-o", "blob.o", "blob"], cwd=tmp_path, check=True
    )
    digits = ",".join(map(str, GFX1201))
    (tmp_path / "data.c").write_text(
        f"const unsigned char code[] __attribute__((aligned(8))) = {{{digits}}};\n"
        'const char one[] = "__CLANG_OFFLOAD_BUNDLE__", two[] = "CCOB";\n'
    )
    library = tmp_path / "library.so"
    output_of(tool("clang-22"), "-shared", tmp_path / "data.c", tmp_path / "blob.o", "-o", library)
    assert [content for _, _, content in entries(tmp_path / "blob.o")] == [GFX942]
    assert {content for _, _, content in entries(library)} == {GFX942, GFX1201}
    result = run("list", library)
    assert result.exit_code == 0
    assert "note: device code in 1 place of .rodata, which the program loads" in result.stdout
    checked = run(
        "check", library, "--require", "gfx942:xnack+,gfx1201", "--fail-on", "unregistered"
    )
    assert checked.exit_code == 0, checked.stdout
    for command in ("ar", "llvm-ar-22"):
        path = tmp_path / f"{command}.a"
        command_line = [tool(command), "rcT", path.name, library.name, "blob.o"]
        subprocess.run(command_line, cwd=tmp_path, check=True)
        assert [binary.path for binary in open_path(str(path))] == [
            f"{path}!library.so",
            f"{path}!blob.o",
        ]


@pytest.mark.toolchain
def test_a_thin_archive_opens_no_file_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    shutil.copy(BINARY / "object-offloading/kernels.o", tmp_path / "kernels.o")
    (tmp_path / "inner/link.o").symlink_to(tmp_path / "kernels.o")
    subprocess.run([tool("ar"), "rcT", "inner/a.a", "kernels.o"], cwd=tmp_path, check=True)
    result = run("list", tmp_path / "inner/a.a")
    assert result.exit_code == 2
    assert "the member '../kernels.o' of this thin archive lies outside its folder" in result.stderr
    subprocess.run([tool("ar"), "rcT", "inner/b.a", "inner/link.o"], cwd=tmp_path, check=True)
    assert "lies outside its folder" in run("list", tmp_path / "inner/b.a").stderr


def test_the_digest_of_a_database_is_not_touched() -> None:
    path = CACHES / "miopen.kdb"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    run("kernels", path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
