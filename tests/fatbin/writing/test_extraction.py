"""Code objects are copied whole, however much of them the kernel copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.byte_source import FileSource, MemorySource, Source, Window
from hipport.fatbin.writing import extraction

DATA = bytes(range(256)) * 40


@pytest.fixture
def sources(tmp_path: Path) -> list[tuple[Source, bytes]]:
    (tmp_path / "whole").write_bytes(DATA)
    file = FileSource(str(tmp_path / "whole"))
    part = (Window(file, 100, 5000), DATA[100:5100])
    return [(file, DATA), part, (MemorySource(DATA, "memory"), DATA), (Window(file, 7, 0), b"")]


def test_the_kernel_copies_all(sources: list[tuple[Source, bytes]], tmp_path: Path) -> None:
    check(sources, tmp_path / "copy")


def check(sources: list[tuple[Source, bytes]], path: Path) -> None:
    for source, content in sources:
        with path.open("wb") as file:
            extraction._copy(source, file)
        assert path.read_bytes() == content


@pytest.mark.parametrize("how", ["fails", "ends", "copies nothing", "is missing"])
def test_the_kernel_copies_some(
    how: str,
    sources: list[tuple[Source, bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy, calls = os.copy_file_range, [0]

    def copy_some(source: int, target: int, count: int, at: int) -> int:
        calls[0] += 1
        if calls[0] % 3 and how != "copies nothing":
            return copy(source, target, min(count, 10), at)
        if how == "fails":
            raise OSError("not here")
        return 0

    if how == "is missing":
        monkeypatch.delattr(os, "copy_file_range")
    else:
        monkeypatch.setattr(os, "copy_file_range", copy_some)
    check(sources, tmp_path / "copy")


def test_names_that_are_taken_get_a_number(tmp_path: Path) -> None:
    """Entries of one target, of no target, and with the same name in two members of an archive."""
    stored = MemorySource(b"\x7fELF" + DATA, "a")
    binaries = []
    for path in ("in/lib.a!one.o", "other/lib.a!x/one.o"):
        binary = Binary(path, "offload bundle", stored)
        bundle = Bundle("offload bundle", stored, stored.size)
        ids = (
            "hip-amdgcn-amd-amdhsa--gfx90a",
            "hip-amdgcn-amd-amdhsa--gfx90a",
            "odd/name",
            "host-x",
        )
        bundle.entries = tuple(
            BundleEntry(bundle, at, name, at * 8, 8) for at, name in enumerate(ids)
        )
        binary.add(bundle)
        binaries.append(binary)
    extractor = extraction.Extractor(tmp_path / "out")
    names = [each.path.name for binary in binaries for each in extractor.extract(binary)]
    assert names == [
        "one.o.0.gfx90a.co",
        "one.o.0.gfx90a.2.bin",
        "one.o.0.odd_name.bin",
        "one.o.0.gfx90a.3.co",
        "one.o.0.gfx90a.4.bin",
        "one.o.0.odd_name.2.bin",
    ]
    chosen = extraction.Extractor(tmp_path / "some").extract(
        binaries[0], lambda each: each.index == 2
    )
    assert [(each.entry.index, each.size) for each in chosen] == [(2, 8)]
    assert (tmp_path / "some/one.o.0.odd_name.bin").read_bytes() == stored.read(16, 8)
