"""Many files in one process."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import PIECE, FileSource, MemorySource
from hipport.fatbin.format_error import FormatError


def test_occurrences_are_in_order_and_none_is_missed_between_pieces() -> None:
    data = bytearray(2 * PIECE + 9)
    places = {0: b"LONGER", 40: b"AB", PIECE - 7: b"LONGER", PIECE - 1: b"AB", PIECE + 1: b"LONGER"}
    places |= {2 * PIECE: b"AB", 2 * PIECE + 3: b"LONGER"}
    for at, text in places.items():
        data[at : at + len(text)] = text
    assert [*MemorySource(bytes(data), "a").occurrences(b"AB", b"LONGER")] == sorted(places)


def test_files_that_only_reference_cycles_hold_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"\x7fELF")
    gc.disable()
    try:
        for _ in range(1500):
            cycle: list[object] = [FileSource(str(path))]
            cycle.append(cycle)
        assert len([*Path("/proc/self/fd").iterdir()]) < 700
    finally:
        gc.enable()


def test_what_the_system_reads_in_parts_is_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = tmp_path / "a.bin", os.pread
    path.write_bytes(bytes(range(100)))
    source = FileSource(str(path), "a")
    monkeypatch.setattr(os, "pread", lambda file, size, at: read(file, min(size, 7), at))
    for at, size in ((0, 100), (3, 7), (3, 8), (85, 15), (0, 0)):
        assert source.read(at, size) == bytes(range(at, at + size))
    path.write_bytes(bytes(range(50)))
    with pytest.raises(FormatError) as error:
        source.read(10, 60)
    assert str(error.value) == "a: offset 0x32: the file became shorter while it was read"
