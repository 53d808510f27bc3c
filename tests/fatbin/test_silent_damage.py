"""Damage that used to look like a file without device code."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fuzz.formats import with_note
from tests.support.binaries import BINARY, run

PLAIN = (BINARY / "elf-plain/libplain.so").read_bytes()


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_damaged_name_of_the_bundles_section(tmp_path: Path) -> None:
    path = written(tmp_path / "lib.so", PLAIN.replace(b".hip_fatbin\0", b".hip_fatbiz\0"))
    result = run("list", path)
    assert result.exit_code == 2
    assert "1 wrappers point at bundles and no section is named as theirs" in result.stderr
    assert "gfx90a" in result.stdout and "no device code" not in result.stdout
    assert run("check", path, "--require", "gfx90a").exit_code == 2


@pytest.mark.parametrize("index", [0, 1, 3])
def test_a_damaged_index_of_the_names(tmp_path: Path, index: int) -> None:
    data = bytearray(PLAIN)
    data[62:64] = struct.pack("<H", index)
    result = run("list", written(tmp_path / "lib.so", bytes(data)))
    assert result.exit_code == 2 and "gfx90a" in result.stdout


@pytest.mark.parametrize(
    ("name", "kind"), [(b"AMDGPU\0\0", 99), (b"Strange\0", 32), (b"AMDGPU\0\0", 10)]
)
def test_a_code_object_without_a_known_note(tmp_path: Path, name: bytes, kind: int) -> None:
    path = written(tmp_path / "a.co", with_note(b"\x80", name, 7, kind))
    for command in ("kernels", "check", "diff"):
        files = [path, path] if command == "diff" else [path]
        result = run(command, *files)
        assert result.exit_code == 2, command
        assert "has no metadata note that is known" in result.stderr


def test_a_code_object_for_another_system(tmp_path: Path) -> None:
    data = bytearray(with_note(b"\x80", b"AMDGPU\0\0", 7, 99))
    data[7] = 65
    result = run("kernels", written(tmp_path / "a.co", bytes(data)))
    assert "which is not made for ROCm (OSABI 65), has no metadata note" in result.stderr
