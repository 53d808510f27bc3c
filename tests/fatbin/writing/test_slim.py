"""`hipport fatbin slim` on the fixtures: what stays, what goes, what is refused."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.processors import needed_on
from hipport.fatbin.target_id import parse_target
from hipport.fatbin.writing import slim_wheel
from tests.support.binaries import BINARY, only, run

BUNDLES = BINARY / "bundles"


def contents(path: Path) -> dict[str, bytes]:
    """Entry ID -> content, of the only bundle."""
    (bundle,) = only(path).bundles
    return {entry.id: entry.source().read(0, entry.size) for entry in bundle.entries}


@pytest.mark.parametrize(
    "name", ["plain", "v1-zlib", "v1-zstd", "v2-zlib", "v2", "v3"], ids=lambda name: str(name)
)
def test_a_bundle_of_each_form(name: str, tmp_path: Path) -> None:
    old, new = BUNDLES / f"{name}.hipfb", tmp_path / "new.hipfb"
    result = run("slim", old, "-o", new, "--targets", "gfx1201")
    assert result.exit_code == 0, result.output
    before, after = contents(old), contents(new)
    assert set(after) == {i for i in before if "gfx942" not in i}
    assert after == {i: before[i] for i in after}
    bundle, was = only(new).bundles[0], only(old).bundles[0]
    assert (bundle.format, bundle.version, bundle.compression) == (
        was.format,
        was.version,
        was.compression,
    )
    assert new.stat().st_size < old.stat().st_size
    assert f"{old}: shrunk, {old.stat().st_size} bytes before, {new.stat().st_size} now" in (
        result.stdout
    )


def test_bundles_in_a_row_keep_their_order(tmp_path: Path) -> None:
    old, new = BUNDLES / "row.hipfb", tmp_path / "new.hipfb"
    assert run("slim", old, "-o", new, "--targets", "gfx1201").exit_code == 0
    assert [
        [entry.id for entry in bundle.entries if "gfx" in entry.id] for bundle in only(new).bundles
    ] == [
        [entry.id for entry in bundle.entries if "gfx1201" in entry.id]
        for bundle in only(old).bundles
    ]
    assert [bundle.place.offset % 4096 for bundle in only(new).bundles] == [0, 0, 0, 0]


def test_a_library_too_small_to_cut_keeps_every_other_byte(tmp_path: Path) -> None:
    old, new = BINARY / "elf-plain/libplain.so", tmp_path / "libplain.so"
    result = run("slim", old, "-o", new, "--targets", "gfx90a")
    assert "filled with zeros" in result.stdout and result.exit_code == 0
    (bundle,) = only(old).bundles
    start, end = bundle.place.offset, bundle.place.offset + bundle.size
    before, after = old.read_bytes(), new.read_bytes()
    assert (before[:start], before[end:]) == (after[:start], after[end:])
    assert set(contents(new)) == {i for i in contents(old) if "gfx1100" not in i}
    assert after.count(b"gfx1100") == 0 and contents(old).items() > contents(new).items()


def test_a_windows_library_keeps_its_size(tmp_path: Path) -> None:
    old, new = BINARY / "windows/kernels.dll", tmp_path / "kernels.dll"
    assert run("slim", old, "-o", new, "--targets", "gfx1100").exit_code == 0
    assert new.read_bytes() == old.read_bytes()


def test_json_says_what_was_saved_by_target(tmp_path: Path) -> None:
    old, new = BUNDLES / "v3.hipfb", tmp_path / "new.hipfb"
    result = run("slim", old, "-o", new, "--targets", "gfx1201", "--format", "json")
    document = json.loads(result.stdout)
    sizes = {i.rpartition("--")[2]: len(data) for i, data in contents(old).items()}
    (file,) = document["files"]
    assert file["kept"] == {"gfx1201": sizes["gfx1201"]}
    assert file["dropped"] == {"gfx942:xnack+": sizes["gfx942:xnack+"]}
    assert (document["size_before"], document["size"]) == (old.stat().st_size, new.stat().st_size)


def wheel(path: Path) -> Path:
    """A wheel with a library, a bundle, a code object and a module."""
    files = {
        "foo/libplain.so": BINARY / "elf-plain/libplain.so",
        "foo/v3.hipfb": BUNDLES / "v3.hipfb",
        "foo/one.co": BINARY / "code-objects/v6-gfx1201.co",
        "foo/__init__.py": Path(__file__),
    }
    rows = []
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in files.items():
            method = zipfile.ZIP_STORED if name.endswith(".hipfb") else zipfile.ZIP_DEFLATED
            archive.write(file, name, method)
            digest = urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest())
            rows.append(f"{name},sha256={digest.rstrip(b'=').decode()},{file.stat().st_size}")
        record = "foo-1.dist-info/RECORD"
        archive.writestr(record, "\n".join([*rows, f"{record},,", ""]))
    return path


def check_record(path: Path) -> dict[str, bytes]:
    """The members of a wheel, all as its RECORD says."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        members = {name: archive.read(name) for name in archive.namelist()}
    (record,) = [name for name in members if name.endswith("/RECORD")]
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(members[record].decode())) if row}
    assert set(rows) == {name for name in members if not name.endswith("/")}
    for name, (digest, size) in rows.items():
        if name != record:
            data = members[name]
            found = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={found}", len(data)), name
    return members


def test_a_wheel_has_a_right_record(tmp_path: Path) -> None:
    old = wheel(tmp_path / "foo-1-py3-none-any.whl")
    (tmp_path / "out").mkdir()
    result = run("slim", old, "-o", tmp_path / "out", "--targets", "gfx1100,gfx1201")
    assert result.exit_code == 0, result.output
    new = tmp_path / "out" / old.name
    before, after = check_record(old), check_record(new)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"foo/libplain.so", "foo/v3.hipfb", "foo-1.dist-info/RECORD"}
    with zipfile.ZipFile(old) as one, zipfile.ZipFile(new) as other:
        for info in one.infolist():
            twin = other.getinfo(info.filename)
            assert (info.compress_type, info.date_time, info.external_attr) == (
                (twin.compress_type, twin.date_time, twin.external_attr)
            )
    assert "foo/one.co left as they are" in result.stdout
    assert "AMDGPU code object, which slim does not rewrite" in result.stdout


@pytest.mark.parametrize(
    ("name", "targets", "message"),
    [
        ("bundles/v3.hipfb", "gfx906", "no code for gfx906 in it"),
        ("bundles/v3.hipfb", "gfx4711", "no such processor"),
        ("bundles/v3.hipfb", ",", "--targets names nothing"),
        ("windows/kernels.obj", "gfx1100", "COFF object, which slim does not rewrite"),
        ("archive/libkernels.a", "gfx942", "a package that slim does not rewrite"),
        ("object-offloading/kernels.o", "gfx1100", "ELF relocatable, which slim does not"),
        ("handmade/plain.kpack", "gfx942", "kpack archive, which slim does not rewrite"),
        ("handmade/nvidia.fatbin", "gfx942", "no AMD device code in it"),
        ("code-objects", "gfx942", "is a folder"),
    ],
)
def test_what_is_refused_leaves_nothing(
    name: str, targets: str, message: str, tmp_path: Path
) -> None:
    result = run("slim", BINARY / name, "-o", tmp_path / "new", "--targets", targets)
    assert isinstance(result.exception, HipportError) and message in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_damage_is_refused(tmp_path: Path) -> None:
    data = bytearray((BUNDLES / "v3.hipfb").read_bytes())
    data[24] ^= 1  # the hash
    (tmp_path / "damaged").write_bytes(data)
    result = run("slim", tmp_path / "damaged", "-o", tmp_path / "new", "--targets", "gfx1201")
    assert isinstance(result.exception, HipportError) and "hash" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["damaged"]


def test_a_signed_wheel_is_refused(tmp_path: Path) -> None:
    path = wheel(tmp_path / "foo.whl")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("foo-1.dist-info/RECORD.jws", "{}")
    result = run("slim", path, "-o", tmp_path / "new.whl", "--targets", "gfx1201")
    assert "it is signed" in str(result.exception)
    assert [p.name for p in tmp_path.iterdir()] == ["foo.whl"]


def test_a_bundle_with_a_zip_file_behind_it(tmp_path: Path) -> None:
    """It is what the reader takes it for."""
    path = tmp_path / "both"
    data = (BUNDLES / "v3.hipfb").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", data)
    path.write_bytes(data + (tmp_path / "a.zip").read_bytes())
    result = run("slim", path, "-o", tmp_path / "new", "--targets", "gfx1201")
    assert isinstance(result.exception, HipportError) and "unknown bytes" in str(result.exception)


@pytest.mark.parametrize("at", [-30, -12, -8, -6, 20, 30])
def test_a_damaged_wheel_is_refused(at: int, tmp_path: Path) -> None:
    path = wheel(tmp_path / "foo.whl")
    data = bytearray(path.read_bytes())
    data[at : at + 4 if at != -4 else None] = b"\xff\xff\xff\xf0"
    path.write_bytes(data)
    result = run("slim", path, "-o", tmp_path / "new.whl", "--targets", "gfx1201")
    assert result.exception is None or isinstance(result.exception, HipportError)
    assert (tmp_path / "new.whl").exists() == (result.exception is None)


def test_the_file_itself_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.hipfb"
    path.write_bytes((BUNDLES / "v3.hipfb").read_bytes())
    result = run("slim", path, "-o", path, "--targets", "gfx1201")
    assert "is the file itself" in str(result.exception)
    assert path.read_bytes() == (BUNDLES / "v3.hipfb").read_bytes()


@pytest.mark.parametrize(
    ("targets", "device", "needed"),
    [
        ("gfx942 gfx90a", "gfx942", "gfx942"),
        ("gfx942 gfx9-4-generic", "gfx942", "gfx942"),
        ("gfx942:xnack+ gfx9-4-generic", "gfx942", "gfx942:xnack+ gfx9-4-generic"),
        ("gfx942:xnack+ gfx942:xnack-", "gfx942", "gfx942:xnack+ gfx942:xnack-"),
        ("gfx942:xnack+ gfx942:xnack- gfx9-4-generic", "gfx942:xnack-", "gfx942:xnack-"),
        ("gfx942 gfx942:xnack+ amdgcnspirv", "gfx942:xnack-", "gfx942"),
        ("gfx90a amdgcnspirv", "gfx942", "amdgcnspirv"),
        ("gfx9-4-generic amdgcnspirv", "gfx950", "gfx9-4-generic"),
        ("gfx90a", "gfx942", ""),
    ],
)
def test_what_a_device_needs(targets: str, device: str, needed: str) -> None:
    codes = [parse_target(text) for text in targets.split()]
    found = needed_on(codes, parse_target(device))
    assert found == {parse_target(text) for text in needed.split()}


def test_a_member_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    """Its size is right in the directory of the archive, but the file ends before."""
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", b"content")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "b.whl", "w") as new:
        (info,) = old.infolist()
        info.compress_size = path.stat().st_size
        with pytest.raises(zipfile.BadZipFile, match="x is cut off"):
            slim_wheel._copy(old, info, new)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_record_keeps_its_line_endings(ending: str) -> None:
    lines = ["a.so,sha256=old,7", '"b,c.py",sha256=kept,9', "foo.dist-info/RECORD,,", ""]
    found = slim_wheel._record(ending.join(lines).encode(), {"a.so": ("sha256=new", 123)})
    assert found.decode() == ending.join(["a.so,sha256=new,123", *lines[1:]])
