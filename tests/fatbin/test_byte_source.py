"""Many files in one process."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import PIECE, FileSource, MemorySource, Window
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


def test_windows_in_windows() -> None:
    data = MemorySource(bytes(range(32)), "a")
    outer = Window(data, 4, 20)
    inner = Window(outer, 3, 8)
    named = Window(outer, 3, 8, "b")
    within = Window(named, 2, 4)
    assert (inner.parent, inner.start, inner.size) == (data, 7, 8)
    assert (named.parent, named.start) == (outer, 3)
    assert (within.parent, within.start) == (named, 2)
    for window, first, place in (
        (inner, 7, ("a", 8)),
        (named, 7, ("b", 1)),
        (within, 9, ("b", 3)),
        (Window(named, 1, 4, "c"), 8, ("c", 1)),
    ):
        assert window.read(1, 2) == bytes([first + 1, first + 2])
        assert bytes(window.view(0, 1)) == bytes([first])
        assert (window.place(1).label, window.place(1).offset) == place
        with pytest.raises(FormatError) as error:
            window.read(window.size - 1, 2)
        assert str(error.value).startswith(f"{place[0]}: offset ")
    known = Window(data, 4, 8, known=b"\xff\xfe")
    assert (known.read(0, 2), known.read(1, 1), known.read(1, 2)) == (b"\xff\xfe", b"\xfe", b"\5\6")
    assert known.read(2, 0) == b"" and known.read(0, 3) == b"\4\5\6"
    with pytest.raises(FormatError):
        known.read(-1, 1)
    with pytest.raises(FormatError):
        Window(data, 30, 3)
