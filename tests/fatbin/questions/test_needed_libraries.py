"""The libraries that a host file names as needed."""

from __future__ import annotations

import pytest

from fuzz.small_elf import small_elf
from hipport.fatbin.byte_source import FileSource, MemorySource
from hipport.fatbin.elf_file import DT_STRTAB, Elf
from hipport.fatbin.questions.needed_libraries import needed_by_elf
from tests.support.binaries import BINARY

NEEDED = 1


@pytest.mark.parametrize(
    ("name", "names"),
    [
        (
            "hipcc/libprogram.so",
            ["libgcc_s.so.1", "libm.so.6", "libamdhip64.so.5", "libstdc++.so.6", "libc.so.6"],
        ),
        ("elf-plain/libplain.so", []),
        ("object-rdc/kernels-22.o", []),
    ],
)
def test_names_in_the_order_of_the_file(name: str, names: list[str]) -> None:
    assert needed_by_elf(Elf(FileSource(str(BINARY / name)))) == names


def test_names_without_an_end_or_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = b"\0one.so\0t\xffo\0" + b"x" * 300
    data = small_elf({".dynstr": texts})
    elf = Elf(MemorySource(data, "a"))
    rows = [(NEEDED, 1), (5, 1), (NEEDED, 8), (NEEDED, 12), (NEEDED, 5000)]
    monkeypatch.setattr(Elf, "dynamic", {DT_STRTAB: data.index(texts)})
    monkeypatch.setattr(Elf, "dynamic_entries", lambda self: iter(rows))
    monkeypatch.setattr(Elf, "offset_of", lambda self, address: address if address >= 0 else None)
    assert needed_by_elf(elf) == ["one.so", "t\\xffo", "x" * 256, ""]
    monkeypatch.setattr(Elf, "dynamic", {})
    assert needed_by_elf(elf) == []
