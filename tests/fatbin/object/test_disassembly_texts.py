"""What is asked of a disassembler, what is taken of its answer, and which is asked next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.object import disassembly as disasm
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.object.disassembly import Disassembler, Disassembly, disassemble
from tests.support.binaries import BINARY

NEW = BINARY / "code-objects/v6-gfx1201.co"
OLD = BINARY / "code-objects/v2-gfx906.co"
HEADED = """
x.co: file format elf64-amdgpu

Disassembly of section .text:

0000000000001600 <kernel>:
\t; a comment of the first bytes
\t.byte 1
\ts_load_b64 s[0:1], s[0:1] // 000000001600

\ts_endpgm // 000000001608
\ts_code_end // 00000000160C
\ts_nop 0 // 000000001610
\t...

"""
BODY = "\ts_load_b64 s[0:1], s[0:1] // 000000001600\n\ts_endpgm // 000000001608"


def opened(path: Path) -> tuple[CodeObject, str]:
    code_object = CodeObject(FileSource(str(path)))
    return code_object, next(iter(code_object.kernels())).name


def tool(folder: Path, name: str, script: str) -> Disassembler:
    """A program that does what its Python says."""
    path = folder / name
    code = f"import sys, pathlib\narguments = sys.argv[1:]\n{script}\n"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(code)} "$@"\n')
    path.chmod(0o755)
    return Disassembler(name, str(path), False)


def asked(monkeypatch: pytest.MonkeyPatch, *found: Disassembler) -> None:
    monkeypatch.setattr(disasm, "disassemblers", lambda: list(found))


def test_headings_and_padding_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_object, name = opened(NEW)
    asked(monkeypatch, tool(tmp_path, "one", f"print({HEADED!r})"))
    assert disassemble(code_object, name) == Disassembly(BODY, "one", "")


def test_what_a_tool_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_object, name = opened(NEW)
    script = (
        "print('<x>:', *arguments[:-1], sep='\\n')\n"
        "print(pathlib.Path(arguments[-1]).name, len(pathlib.Path(arguments[-1]).read_bytes()))"
    )
    asked(monkeypatch, tool(tmp_path, "one", script))
    options = ["--disassemble", "--no-show-raw-insn", f"--disassemble-symbols={name}"]
    lines = [*options, f"kernel.co {NEW.stat().st_size}"]
    assert disassemble(code_object, name) == Disassembly("\n".join(lines), "one", "")


@pytest.mark.parametrize(("path", "skipped"), [(NEW, 0), (OLD, 256)])
def test_what_a_library_is_asked(
    path: Path, skipped: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before version 3 the descriptor precedes the code."""
    code_object, name = opened(path)
    child = tmp_path / "child.py"
    child.write_text(
        "import sys\nprint('<x>:', sys.argv[1], sys.argv[2], *sys.argv[4:], end='\\n\\n')"
    )
    monkeypatch.setattr(disasm, "_CHILD", child)
    asked(monkeypatch, Disassembler("library", "/lib.so", True))
    place = code_object.bytes_of(name)
    assert place is not None
    processor = code_object.target.processor
    text = f"<x>: /lib.so {processor} {place[0] + skipped} {place[1] - skipped}"
    assert disassemble(code_object, name) == Disassembly(text, "library", "")


def test_the_next_is_asked_where_one_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_object, name = opened(NEW)
    fails = tool(tmp_path, "fails", "sys.exit('one\\nno such processor')")
    silent = tool(tmp_path, "silent", "")
    works = tool(tmp_path, "works", "print('<x>:')\nprint('s_endpgm')")
    asked(monkeypatch, fails, silent, works)
    assert disassemble(code_object, name) == Disassembly("s_endpgm", "works", "")
    asked(monkeypatch, fails)
    problem = f"{fails.path}: exit code 1: no such processor"
    assert disassemble(code_object, name) == Disassembly("", "", problem)
    asked(monkeypatch, fails, silent)
    assert disassemble(code_object, name) == Disassembly("", "", "no instructions were found")
    asked(monkeypatch)
    assert disassemble(code_object, name) == Disassembly("", "", disasm.REMEDY)
