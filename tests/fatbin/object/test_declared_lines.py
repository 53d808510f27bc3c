"""Where kernels are declared, from the DWARF debug information that clang 22 writes."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.elf_file import Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.debug_sections import Budget, TooMuch
from hipport.fatbin.object.declared_lines import Declared, declared_lines
from tests.support.binaries import output_of, tool

pytestmark = pytest.mark.toolchain

SOURCE = """\
#define KERNEL __attribute__((amdgpu_kernel))
#define MAKE(name) KERNEL void name(int *x) { *x = 1; }
static __attribute__((always_inline)) int inlined(int *x) { return x[1]; }
template <typename T>
void
spread(T *x)
{
    *x = inlined((int *)x);
}
template void spread(float *);
template void spread(double *);
MAKE(made)
extern "C" KERNEL void plain(int *x) { *x = 2; }
#line 100 "gen/rules.y"
namespace deep { KERNEL void lined(int *x) { *x = 3; } }
#include "more.inc"
"""
DECLARED = {
    "_Z6spreadIfEvPT_": ("main.cpp", 6),
    "_Z6spreadIdEvPT_": ("main.cpp", 6),
    "_Z4madePi": ("main.cpp", 12),
    "plain": ("main.cpp", 13),
    "_ZN4deep5linedEPi": ("gen/rules.y", 100),
    "_Z8includedPi": ("more.inc", 2),
}
OPTIONS = [
    ("-gdwarf-5",),
    ("-gdwarf-4",),
    ("-gdwarf-3",),
    ("-gdwarf-5", "-gdwarf64"),
    ("-gdwarf-5", "-gz=zlib"),
    ("-gdwarf-5", "-gz=zstd"),
    ("-gdwarf-5", "-c"),
    ("-gdwarf-4", "-c"),
]


def compiled(folder: Path, *options: str) -> bytes:
    (folder / "main.cpp").write_text(SOURCE)
    (folder / "more.inc").write_text("\nKERNEL void included(int *x) { *x = 4; }\n")
    output_of(
        *(tool("clang++-22"), "--target=amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-nogpulib", "-O2"),
        *("-w", "-nostdlib", *options, folder / "main.cpp", "-o", folder / "main.co"),
    )
    return (folder / "main.co").read_bytes()


def lines(data: bytes, limits: Limits | None = None) -> dict[str, Declared]:
    limits = limits or Limits()
    elf = Elf(MemorySource(data, "main.co"))
    return declared_lines(elf, {*DECLARED, "_Z7inlinedPi", "none"}, limits, Budget(limits))


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_lines_are_those_of_the_names(options: tuple[str, ...], tmp_path: Path) -> None:
    found = lines(compiled(tmp_path, *options))
    assert found.pop("_Z7inlinedPi", Declared(f"{tmp_path}/main.cpp", 3)).line == 3
    # What `#line` names is in the folder of the compiler.
    folders = {"gen/rules.y": Path.cwd()}
    assert found == {
        name: Declared(str(folders.get(file, tmp_path) / file), line)
        for name, (file, line) in DECLARED.items()
    }


def test_without_debug_information_there_are_none(tmp_path: Path) -> None:
    assert lines(compiled(tmp_path)) == {}


def test_tables_of_lines_alone_declare_nothing(tmp_path: Path) -> None:
    assert lines(compiled(tmp_path, "-gline-tables-only")) == {}


def section(data: bytes, name: str) -> tuple[int, int]:
    found = Elf(MemorySource(data, "main.co")).find(name)
    assert found is not None
    return found.offset, found.size


def test_counts_are_not_believed(tmp_path: Path) -> None:
    """A table of 2^42 files that take no bytes."""
    data = bytearray(compiled(tmp_path, "-gdwarf-5"))
    at, size = section(data, ".debug_line")
    body = struct.pack("<HBBI", 5, 8, 0, 40) + bytes((4, 1, 1, 251, 14, 13)) + bytes(12)
    body += b"\0" + b"\xff" * 5 + b"\x7f" + bytes(size)
    data[at : at + size] = (struct.pack("<I", size - 4) + body)[:size]
    with pytest.raises(FormatError, match=r"\.debug_line.*4398046511103 files or folders"):
        lines(bytes(data))


def test_more_than_the_limits_is_said(tmp_path: Path) -> None:
    data = compiled(tmp_path, "-gdwarf-5", "-gz=zlib")
    with pytest.raises(TooMuch, match="more than 64 bytes of debug information are not read"):
        lines(data, Limits(max_debug=64))
    with pytest.raises(TooMuch, match="more debug information than is read"):
        lines(data, Limits(max_debug_entries=20))


@pytest.mark.parametrize("options", [("-gdwarf-5",), ("-gdwarf-4", "-c")], ids=" ".join)
def test_damage_is_an_error_of_the_format(options: tuple[str, ...], tmp_path: Path) -> None:
    whole = compiled(tmp_path, *options)
    numbers = random.Random(23)
    outcomes = {"damaged": 0, "read": 0}
    for _ in range(400):
        data = bytearray(whole)
        at, size = section(whole, numbers.choice((".debug_info", ".debug_abbrev", ".debug_line")))
        for _ in range(numbers.randint(1, 4)):
            data[at + numbers.randrange(size)] = numbers.choice((0, 255, numbers.randrange(256)))
        try:
            lines(bytes(data), Limits(max_debug_entries=1 << 14))
            outcomes["read"] += 1
        except FormatError as error:
            assert str(error).startswith("main.co: offset 0x")
            outcomes["damaged"] += 1
    assert min(outcomes.values()) > 20
