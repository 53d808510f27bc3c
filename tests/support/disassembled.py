"""A second opinion on registration: LLVM's disassembly, followed as text from line to line.

Jumps are not followed and calls change nothing; that is enough for what compilers write here.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.binaries import output_of, tool

_LINE = re.compile(r"^ *([0-9a-f]+): +\t?(\S+)\s*(.*)$")
_FUNCTION = "__hipRegisterFunction"
_JUMP = re.compile(r"^ *([0-9a-f]+): .*\b(?:jmpq\s+\*|movq\s).*# 0x([0-9a-f]+)", re.M)


def disassembled(path: Path) -> set[str]:
    """The strings that the device's name points at when __hipRegisterFunction is called."""
    text = output_of(tool("llvm-objdump-22"), "-d", "--no-show-raw-insn", path)
    relocations = output_of(tool("llvm-readelf-22"), "-rW", path)
    slots = {
        int(address, 16)
        for address in re.findall(rf"^0*([0-9a-f]+) .* {_FUNCTION} ", relocations, re.M)
    }
    lines = [match for line in text.splitlines() if (match := _LINE.match(line)) is not None]
    if "aarch64" in text.partition("\n\n")[0]:
        pointers = _arm(lines, slots)
    else:
        # A stub starts at its jump or load, or at the endbr64 before it.
        stubs = {
            int(at, 16) - back
            for at, to in _JUMP.findall(text)
            for back in (0, 4)
            if int(to, 16) in slots
        }
        pointers = _x86(lines, slots, stubs)
    return {string_at(path, address) for address in pointers} - {""}


def _x86(lines: list[re.Match[str]], slots: set[int], stubs: set[int]) -> set[int]:
    known: dict[str, int] = {}
    found = set()
    for line in lines:
        name, operands = line[2], re.sub(r"\s*(<.*>|# imm.*)", "", line[3])
        first, _, last = operands.partition(" # ")[0].strip().rpartition(", ")
        place = re.search(r"# 0x([0-9a-f]+)", operands)
        pair = re.search(r"\((%\w+),(%\w+)\)", operands)
        if pair is not None and pair[1] in known and pair[2] in known:
            address: int | None = known[pair[1]] + known[pair[2]]
        else:
            address = int(place[1], 16) if place is not None else None
        if name == "leaq" and place is not None:
            known[last] = int(place[1], 16)
        elif name in ("movabsq", "movl", "movq") and re.fullmatch(r"\$-?0x[0-9a-f]+", first):
            known[last.replace("%e", "%r")] = int(first[1:], 16)
        elif name == "movq" and address in slots:
            known[last] = -1
        elif name == "movq" and first in known and re.fullmatch(r"%\w+|\w*\(%rsp\)", last):
            known[last] = known[first]
        elif name == "addq" and first in known and last in known:
            known[last] += known[first]
        elif name == "callq":
            direct = re.match(r"0x([0-9a-f]+)", operands)
            register = known.get(operands.removeprefix("*"))
            target = int(direct[1], 16) if direct is not None else register
            if (target in stubs or target == -1 or address in slots) and "%rcx" in known:
                found.add(known["%rcx"])
        elif last.startswith("%") and name not in ("testq", "cmpq"):
            known.pop(last, None)
    return {address & (1 << 64) - 1 for address in found}


def _arm(lines: list[re.Match[str]], slots: set[int]) -> set[int]:
    known: dict[str, int] = {}
    found = set()
    stubs = set()
    for line in lines:  # entries of the table end in: ldr x17, [x16, #number]; add; br x17
        if line[2] == "adrp" and line[3].startswith("x16, "):
            start, page = int(line[1], 16), int(line[3].split()[1], 16)
        low = re.match(r"x17, \[x16, #0x(\w+)\]", line[3])
        if line[2] == "ldr" and low is not None and page + int(low[1], 16) in slots:
            stubs |= {start, start - 4}
    for line in lines:
        name, operands = line[2], re.sub(r"\s*(<.*>|//.*)", "", line[3])
        to, *rest = operands.split(", ")
        number = int(rest[-1].lstrip("#").rstrip("]").lstrip("#"), 0) if _is_number(rest) else None
        if name in ("adrp", "adr") or (name == "mov" and number is not None):
            known[to] = number or 0
        elif name == "movk":
            shift = int(rest[1].removeprefix("lsl #"))
            known[to] = known.get(to, 0) + (int(rest[0][1:], 16) << shift)
        elif name == "add" and rest[0] in known and number is not None:
            known[to] = known[rest[0]] + number
        elif name == "mov" and rest[0] in known:
            known[to] = known[rest[0]]
        elif name == "ldr" and (base := re.match(r"\[(x\d+)", rest[0])):
            known[to] = -1 if known.get(base[1], 0) + (number or 0) in slots else 0
        elif name in ("bl", "blr"):
            target = known.get(operands) if name == "blr" else int(operands, 16)
            if (target in stubs or target == -1) and "x3" in known:
                found.add(known["x3"])
        else:
            known.pop(to, None)
    return found


def _is_number(operands: list[str]) -> bool:
    return bool(operands) and re.fullmatch(r"#?-?(0x)?[0-9a-f]+\]?", operands[-1]) is not None


def string_at(path: Path, address: int) -> str:
    """The C string that is loaded there, by llvm-readelf's program headers."""
    headers = output_of(tool("llvm-readelf-22"), "-lW", path)
    for row in re.findall(r"^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", headers, re.M):
        offset, start, size = (int(each, 16) for each in row)
        if start <= address < start + size:
            data = path.read_bytes()[offset + address - start :]
            return data.partition(b"\0")[0].decode("utf-8", "replace")
    return ""
