"""What compilers record of device code: DWARF debug information, attributes of cubins."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

from fuzz.exercise import LIMITS
from fuzz.small_elf import small_elf
from hipport.errors import HipportError
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import Elf
from hipport.fatbin.object.debug_sections import Budget
from hipport.fatbin.object.declared_lines import declared_lines
from hipport.fatbin.questions.cubins import kernels
from hipport.trace.readable_names import parse_readable
from hipport.trace.written_names import parse_name

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
_SIZES = struct.Struct("<3H")
_WANTED = ("k", "_Z1kv")


def exercise_names(data: bytes) -> None:
    """A kernel's name as a demangler may write it, for it comes from a binary."""
    text = data.decode("latin-1")
    parse_readable(text)
    parse_name(text)


def name_seeds() -> list[bytes]:
    return [
        b"k",
        b"void (anonymous namespace)::k<float, (unsigned int)4>(float const*, int) [clone .kd]",
        b"a::b<c<d>, &e::f>::k<g(int)#1>(h const&, void (*)(i), std::pair<int, j[4]>)",
        b"decltype(auto) k<(lambda at a.cu:1:2)>({lambda(int)#1}, k<operator<>())",
        b"void ns::k<(ns::E)0, true, 'c'>(ns::T<(ns::E)0>...)",
    ]


def exercise_debug(data: bytes) -> None:
    """Three sizes, then the entries, their abbreviations, the table of files, and texts."""
    if len(data) < _SIZES.size:
        return
    info, shapes, lines = _SIZES.unpack_from(data)
    sections = {}
    at = _SIZES.size
    for name, size in ((".debug_info", info), (".debug_abbrev", shapes), (".debug_line", lines)):
        sections[name] = data[at : at + size]
        at += size
    texts = (".debug_str", ".debug_line_str", ".debug_str_offsets")
    sections.update(dict.fromkeys(texts, data[at:]))
    elf = Elf(MemorySource(small_elf(sections), "input"))
    with contextlib.suppress(HipportError):
        for place in declared_lines(elf, _WANTED, LIMITS, Budget(LIMITS)).values():
            assert place.path and place.line > 0


def debug_seeds() -> list[bytes]:
    """A function `k` in line 7 of `/a/b.cu`, as DWARF 4 and 5 have it."""
    return [_debug_of(4), _debug_of(5)]


def _debug_of(version: int) -> bytes:
    # Abbreviations: a unit with its folder and lines; a function with name, file and line.
    shapes = bytes([1, 0x11, 1, 0x1B, 0x08, 0x10, 0x17, 0, 0])
    shapes += bytes([2, 0x2E, 0, 0x6E, 0x08, 0x3A, 0x0B, 0x3B, 0x0B, 0, 0, 0])
    head = struct.pack("<HBBI", 5, 1, 8, 0) if version == 5 else struct.pack("<HIB", 4, 0, 8)
    entries = b"\1/a\0" + bytes(4) + b"\2k\0\1\7" + b"\0"
    info = struct.pack("<I", len(head + entries)) + head + entries
    opcodes = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    if version == 5:
        # Two folders and two files, each a text in place: DW_LNCT_path, DW_FORM_string.
        tables = b"\1\1\x08\2/a\0b\0" + b"\2\1\x08\2\x0b\2b.cu\0\0b.cu\0\0"
        start = struct.pack("<HBB", 5, 8, 0)
        fixed = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13)
    else:
        tables = b"b\0\0" + b"b.cu\0\0\0\0\0"
        start = struct.pack("<H", 4)
        fixed = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13)
    rest = fixed + opcodes + tables
    line = start + struct.pack("<I", len(rest)) + rest
    line = struct.pack("<I", len(line)) + line
    return _SIZES.pack(len(info), len(shapes), len(line)) + info + shapes + line + b"text\0"


def exercise_cubin(data: bytes) -> None:
    """The bytes as a cubin."""
    with contextlib.suppress(HipportError):
        for kernel in kernels(Elf(MemorySource(data, "input"))):
            assert kernel.registers >= 0 and kernel.shared >= 0


def cubin_seeds() -> list[bytes]:
    return [(FIXTURES / "prebuilt/scale.cubin").read_bytes()]
