"""Many files in one process."""

from __future__ import annotations

import gc
from pathlib import Path

from hipport.fatbin.byte_source import FileSource


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
