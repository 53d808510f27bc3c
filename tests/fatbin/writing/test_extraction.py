"""Code objects are copied whole, however much of them the kernel copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
