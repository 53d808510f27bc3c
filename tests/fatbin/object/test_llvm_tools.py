"""Where LLVM's tools are looked for, and which copy is the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.object import llvm_tools


def test_the_newest_comes_first_and_rocms_own_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program(folder: str, mode: int = 0o755) -> str:
        path = tmp_path / folder / "llvm-objdump"
        path.parent.mkdir(parents=True)
        path.write_text("")
        path.chmod(mode)
        return str(path)

    newest, old = program("lib/llvm-22/bin"), program("lib/llvm-9/bin")
    other, rocm = program("lib/llvm-own/bin"), program("rocm/bin")
    program("lib/llvm-23/bin", 0o644)
    (tmp_path / "llvm-objdump").symlink_to(newest)
    plain = program("plain")
    monkeypatch.setattr(llvm_tools, "_LLVM", tmp_path / "lib")
    monkeypatch.setattr(llvm_tools, "_FOLDERS", (str(tmp_path / "rocm/bin"), "/nonexistent"))
    for on_path, last in ((str(tmp_path / "llvm-objdump"), []), (plain, [(0, plain)]), (None, [])):
        monkeypatch.setattr(llvm_tools, "find_program", lambda _, path=on_path: path)
        found = [(each.version, each.path) for each in llvm_tools.llvm_tools("llvm-objdump")]
        assert found == [
            *((999, rocm), (22, newest), (9, old)),
            *sorted([(0, other), *last], reverse=True),
        ]
    assert llvm_tools.llvm_tools("llvm-readelf") == []
