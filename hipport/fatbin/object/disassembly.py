"""Disassembly of one kernel by a tool on this machine that knows AMDGPU, in a child process.

llvm-objdump, the newest first (LLVM 19 aborts on processors that it does not know), then the
library of the package rocm-llvm-python through LLVM's C interface.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.object.kernel_descriptor import SIZE_V2
from hipport.fatbin.object.llvm_tools import llvm_tools
from hipport.named_tuples import NamedTuple
from hipport.programs import bounded

SECONDS = 30
_MEMORY = 4 << 30
_MOST_TEXT = 64 << 20
REMEDY = "no disassembler for AMDGPU found: install LLVM, or pip install rocm-llvm-python"
_PADDING = ("", "...", "s_code_end", "s_nop 0")
_CHILD = Path(__file__).with_name("disassembly_child.py")


class Disassembler(NamedTuple):
    name: str
    path: str
    library: bool


class Disassembly(NamedTuple):
    """`text` is empty when nothing could do it; `problem` says why."""

    text: str
    by: str
    problem: str


def disassemblers() -> list[Disassembler]:
    """What was found, in the order in which it is tried."""
    found = [
        Disassembler(f"llvm-objdump {tool.version or ''}".strip(), tool.path, False)
        for tool in llvm_tools("llvm-objdump")
    ]
    spec = importlib.util.find_spec("rocm")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        library = Path(folder) / "llvm" / "librocmllvm.so"
        if library.is_file():
            found.append(Disassembler("rocm-llvm-python", str(library), True))
    return found


def _never() -> bool:
    return False


def disassemble(
    code_object: CodeObject, name: str, is_cancelled: Callable[[], bool] = _never
) -> Disassembly:
    """The instructions of the kernel `name` as text.

    `is_cancelled` is asked every tenth of a second; the disassembler is killed once it says yes.
    """
    problem = REMEDY
    place = code_object.bytes_of(name)
    if place is None:
        return Disassembly("", "", f"the code object has no symbol {name}")
    offset, size = place
    if code_object.version < 3:  # before version 3 the descriptor precedes the code
        offset, size = offset + SIZE_V2, max(0, size - SIZE_V2)
    with tempfile.TemporaryDirectory(prefix="hipport-") as folder:
        path = Path(folder) / "kernel.co"
        path.write_bytes(code_object.source.view(0, code_object.source.size))
        for found in disassemblers():
            if found.library:
                command = [sys.executable, "-I", str(_CHILD), found.path]
                command += [code_object.target.processor, str(path), str(offset), str(size)]
            else:
                command = [found.path, "--disassemble", "--no-show-raw-insn"]
                command += [f"--disassemble-symbols={name}", str(path)]
            text, problem = _run(command, is_cancelled)
            if text:
                return Disassembly(_body(text, found.library), found.name, "")
    return Disassembly("", "", problem)


def _run(command: list[str], is_cancelled: Callable[[], bool]) -> tuple[str, str]:
    """The child's output, or why there is none."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        try:
            child = subprocess.Popen(
                command,
                stdout=output,
                stderr=complaints,
                stdin=subprocess.DEVNULL,
                preexec_fn=bounded(memory=_MEMORY, output=_MOST_TEXT),
            )
        except OSError as error:
            return "", f"{command[0]}: {error.strerror}"
        problem = _wait(child, is_cancelled)
        if problem:
            return "", f"{command[0]}: {problem}"
        output.seek(0)
        text = output.read(_MOST_TEXT).decode("utf-8", "backslashreplace")
        complaints.seek(0)
        last = complaints.read(_MOST_TEXT).decode("utf-8", "backslashreplace").strip()
    if child.returncode != 0:
        why = "".join(last.splitlines()[-1:])[:200]
        return "", f"{command[0]}: exit code {child.returncode}: {why}"
    return text, "no instructions were found"


def _wait(child: subprocess.Popen[bytes], is_cancelled: Callable[[], bool]) -> str:
    """Wait for the child to end; otherwise kill it and return why."""
    for _ in range(SECONDS * 10):
        with suppress(subprocess.TimeoutExpired):
            child.wait(0.1)
            return ""
        if is_cancelled():
            break
    child.kill()
    child.wait()
    return "cancelled" if is_cancelled() else f"took longer than {SECONDS} s"


def _body(text: str, library: bool) -> str:
    """The instructions without llvm-objdump's headings, and without the padding behind them."""
    if library:
        return text.rstrip("\n")
    lines = text.splitlines()
    while lines and lines[-1].split("//")[0].strip() in _PADDING:
        lines.pop()
    start = next((i + 1 for i, line in enumerate(lines) if line.endswith(">:")), len(lines))
    while start < len(lines) and lines[start].strip().startswith((";", ".byte")):
        start += 1  # what precedes the code in version 2
    return "\n".join(line for line in lines[start:] if line.strip())
