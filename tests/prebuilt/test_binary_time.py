"""An audit reports a package that takes too long as read in part."""

from __future__ import annotations

import itertools
import zipfile
from pathlib import Path

import pytest

from hipport.fatbin import clock
from hipport.prebuilt import members
from hipport.prebuilt.binary_facts import examine
from hipport.rulebook.load import load
from tests.support.binaries import BINARY


def test_a_package_that_takes_too_long_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "process_time", itertools.count().__next__)
    monkeypatch.setattr(members, "_SECONDS", 3)
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(9):
            archive.write(BINARY / "elf-compressed/libcompressed.so", f"lib{number}.so")
    found = examine(path, "a.whl", load(is_audit=True))
    assert found.targets["amd"]
    assert found.fault == (
        "a.whl: offset 0x0: took more than 3 s of processor time; what follows is not read"
        " (leave it out with --exclude)"
    )
