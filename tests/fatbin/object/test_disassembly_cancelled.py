"""A disassembler that is no longer wanted is killed, and one that runs to its end is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.object import disassembly as disasm
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.object.llvm_tools import Tool
from tests.support.binaries import BINARY

SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_a_cancelled_disassembler_is_killed() -> None:
    asked: list[int] = []

    def is_cancelled() -> bool:
        asked.append(1)
        return len(asked) > 1

    assert disasm._run(SLEEPS, is_cancelled) == ("", f"{sys.executable}: cancelled")


def test_output_and_complaints_are_read() -> None:
    says = [sys.executable, "-c", "print('s_endpgm')"]
    assert disasm._run(says, lambda: False)[0] == "s_endpgm\n"
    fails = [sys.executable, "-c", "import sys; sys.exit('no such target')"]
    problem = f"{sys.executable}: exit code 1: no such target"
    assert disasm._run(fails, lambda: False) == ("", problem)
    assert disasm._run(["/nonexistent"], lambda: False)[1].startswith("/nonexistent: ")


def test_a_disassembler_that_takes_its_time_is_waited_for() -> None:
    slow = [sys.executable, "-c", "import time; time.sleep(0.3); print('s_endpgm')"]
    assert disasm._run(slow, lambda: False)[0] == "s_endpgm\n"


def test_a_kernel_that_is_not_there() -> None:
    code_object = CodeObject(FileSource(str(BINARY / "code-objects/v6-gfx1201.co")))
    wanted = disasm.Disassembly("", "", "the code object has no symbol nothing")
    assert disasm.disassemble(code_object, "nothing") == wanted


def test_disassemblers_in_the_order_in_which_they_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "rocm/llvm/librocmllvm.so"
    library.parent.mkdir(parents=True)
    tools = [Tool(22, "/a/llvm-objdump"), Tool(0, "/b/llvm-objdump")]
    monkeypatch.setattr(disasm, "llvm_tools", lambda name: tools if name == "llvm-objdump" else [])
    monkeypatch.syspath_prepend(str(tmp_path))
    wanted = [
        disasm.Disassembler("llvm-objdump 22", "/a/llvm-objdump", False),
        disasm.Disassembler("llvm-objdump", "/b/llvm-objdump", False),
    ]
    assert disasm.disassemblers() == wanted
    library.write_bytes(b"")
    assert disasm.disassemblers() == [
        *wanted,
        disasm.Disassembler("rocm-llvm-python", str(library), True),
    ]
