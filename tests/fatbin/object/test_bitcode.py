"""The kernels of LLVM bitcode, against llvm-dis; damaged bitcode; what the commands say of both."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object import bitcode as bitcode_of
from hipport.fatbin.object.bitcode import kernel_names
from hipport.fatbin.object.bitstream import Record
from hipport.fatbin.questions.kernel_tables import images
from tests.support.binaries import BINARY, only, output_of, run, tool

OBJECT = BINARY / "object-rdc/kernels-22.o"
NAMES = ["scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"]
TARGETS = ["gfx1100", "gfx90a"]


def bitcode() -> bytes:
    binary = only(OBJECT)
    (first, _) = images(binary, Limits(), lambda entry: not entry.is_host)
    return first[1].read(0, first[1].size)


def names(data: bytes, limits: Limits | None = None) -> list[str]:
    return kernel_names(MemorySource(data, "input"), limits or Limits())


def put(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def wrapped(data: bytes, size: int | None = None) -> bytes:
    """With the header that Darwin's linker wants: magic, version, offset, size, processor."""
    numbers = (0x0B17C0DE, 0, 20, len(data) if size is None else size, 7)
    return b"".join(number.to_bytes(4, "little") for number in numbers) + data


def test_names() -> None:
    assert names(bitcode()) == NAMES
    assert names(wrapped(bitcode()) + b"padding") == NAMES
    assert names(bitcode() + bytes(8)) == NAMES


CODE = bitcode()
MODULE = 32  # behind the magic number and the identification block: the header of the module
TABLE = CODE.rfind(b"_Z3addIiEvPT_PKS0_S3_") - 16  # its header and that of the block
DAMAGED = {
    "nothing": (b"", "no LLVM bitcode"),
    "magic alone": (CODE[:4], ""),
    "header cut": (CODE[:9], "cut off"),
    "first block cut": (CODE[:20], "reaches past the end"),
    "module cut": (CODE[:3000], "reaches past the end"),
    "no string table": (CODE[:TABLE], "no string table"),
    "module of 4 G words": (put(CODE, MODULE + 4, b"\xff" * 4), "reaches past the end"),
    "module of no words": (put(CODE, MODULE + 4, bytes(4)), "no block where one has to begin"),
    "module of ones": (put(CODE, MODULE + 8, b"\xff" * 400), "LLVM bitcode: "),
    "module of zeros": (put(CODE, MODULE + 8, bytes(400)), ""),
    "no block": (put(CODE, MODULE, b"\xff" * 4), "no block where one has to begin"),
    "wrapper too long": (wrapped(CODE, 1 << 30), "reach past the end"),
    "wrapper too short": (wrapped(CODE, 30), "reaches past the end"),
    "wrapper of zeros": (put(wrapped(CODE), 8, bytes(8)), "no LLVM bitcode"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named(name: str) -> None:
    data, message = DAMAGED[name]
    if not message:
        assert names(data) == []
        return
    with pytest.raises(FormatError, match=re.escape(message)):
        names(data)


@pytest.mark.slow
def test_every_bit_that_changes_ends_in_names_or_an_error() -> None:
    for at in range(0, len(CODE), 7):
        changed = put(CODE, at, bytes([CODE[at] ^ 1 << at % 8]))
        try:
            assert len(names(changed)) <= 200
        except HipportError as error:
            assert str(error).startswith("input: ")


def test_more_than_the_limits_is_refused() -> None:
    with pytest.raises(FormatError, match="more than 2 kernels"):
        names(CODE, Limits(max_kernels=2))
    with pytest.raises(FormatError, match="kernels of so much are not read"):
        names(CODE, Limits(max_size=100))


def test_what_the_commands_say() -> None:
    rows = json.loads(run("kernels", OBJECT, "--format", "json").stdout)["kernels"]
    assert [row["name"] for row in rows] == NAMES * 2
    assert {row["vgpr"] for row in rows} == {None}
    lines = run("kernels", OBJECT, "--registered", "--mangled").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:7]] == [["yes", t] for t in TARGETS for _ in NAMES]
    summary = run("list", "--summary", OBJECT).stdout.splitlines()
    assert [line.split()[3:] for line in summary[2:]] == [["3", target] for target in TARGETS]
    assert run("show", "scale", OBJECT).exit_code != 0
    assert "LLVM bitcode alone" in str(run("show", "scale", OBJECT).exception)
    library = BINARY / "elf-rdc/librdc.so"
    assert "- gfx1100          target" in run("diff", OBJECT, library).stdout


def test_registered_kernels_are_compared_with_those_of_bitcode(tmp_path: Path) -> None:
    for check in ("absent", "unregistered", "mismatch"):
        assert run("check", OBJECT, "--fail-on", check).exit_code == 0
    # The name that the host registers is no longer the kernel's.
    data = OBJECT.read_bytes()
    host = data.rfind(b"\0_Z3addIdEvPT_PKS0_S3_\0", 0, data.find(b".symtab"))
    changed = tmp_path / "changed.o"
    changed.write_bytes(put(data, host + 1, b"_Z3odd"))
    result = run("check", changed, "--fail-on", "absent,unregistered")
    assert result.exit_code == 1
    assert "_Z3oddIdEvPT_PKS0_S3_ is registered and in no code object" in result.stdout
    assert "_Z3addIdEvPT_PKS0_S3_ is in the file and never registered" in result.stdout


def test_spills_of_what_is_not_compiled_are_not_said_to_be_none() -> None:
    for path in (OBJECT, BINARY / "caches/spirv.hipfb"):
        result = run("check", path, "--fail-on", "spills")
        assert result.exit_code == 1 and "are not compiled yet" in result.stdout


@pytest.mark.toolchain
@pytest.mark.parametrize("version", [14, 15, 19, 22])
@pytest.mark.parametrize("options", ["-O0", "-O2", "-O2 -g", "-O2 -flto=thin"])
def test_names_are_those_of_llvm_dis(version: int, options: str, tmp_path: Path) -> None:
    made = tmp_path / "kernels.bc"
    output_of(
        *(tool(f"clang++-{version}"), "-x", "hip", "-nogpuinc", "-nogpulib", "-fgpu-rdc"),
        *("--offload-arch=gfx90a", "--cuda-device-only", "-emit-llvm", *options.split()),
        *("-c", BINARY / "kernels.hip", "-o", made),
    )
    same_as_llvm_dis(made)


@pytest.mark.toolchain
def test_many_kernels_and_those_of_opencl(tmp_path: Path) -> None:
    source, made = tmp_path / "many.cl", tmp_path / "many.bc"
    source.write_text(
        "".join(f"kernel void k{n}(global int *p) {{ p[{n}] = {n}; }}\n" for n in range(3000))
        + "kernel void declared(global int *p);\nvoid helper(global int *p) { *p = 1; }\n"
    )
    for target in ("amdgcn-amd-amdhsa", "spir64"):
        output_of(
            *(tool("clang-22"), "-x", "cl", f"--target={target}", "-nogpulib", "-emit-llvm"),
            *("-c", source, "-o", made),
        )
        assert same_as_llvm_dis(made) == 3000


def same_as_llvm_dis(path: Path) -> int:
    text = output_of(tool("llvm-dis-22"), path, "-o", "-")
    shape = r'^define .*\b(?:amdgpu|spir)_kernel [^@]*@"?([^"(]+)"?\('
    theirs = re.findall(shape, text, re.M)
    assert names(path.read_bytes()) == theirs
    assert theirs
    return len(theirs)


def test_which_functions_are_kernels() -> None:
    """LLVM, BitcodeWriter.cpp: [strtab offset, strtab size,] type, calling convention, isproto."""
    for convention, isproto, wanted in (
        (91, 0, True),
        (76, 0, True),
        (0, 0, False),
        (91, 1, False),
    ):
        values = [5, convention, isproto, 9]
        assert bitcode_of._is_kernel(Record(8, values), 1) is wanted
        assert bitcode_of._is_kernel(Record(8, [91, 91, *values]), 2) is wanted
        assert bitcode_of._is_kernel(Record(8, [91, 91, *values]), 3) is wanted
    assert not bitcode_of._is_kernel(Record(8, [5, 91]), 1)
    assert bitcode_of._is_kernel(Record(8, [5, 91, 0]), 0)
    assert not bitcode_of._is_kernel(Record(8, [1, 2, 5, 91]), 2)
