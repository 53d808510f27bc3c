"""What two compilers and four linkers make in over 25 ways, against LLVM's own tools.

Kernels equal those of `llvm-readelf --notes`. Registered names equal those of the source, and those
that a disassembly by `llvm-objdump` shows before the calls.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from hipport.fatbin.binary import Binary
from hipport.fatbin.host.registration import registrations
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.kernel_tables import code_objects, kernel_tables
from hipport.fatbin.reader import open_path
from tests.fatbin.paths import BINARY, output_of, tool

pytestmark = pytest.mark.toolchain
NAMES = {"scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"}
RUNTIME = (
    *("__hipRegisterFatBinary", "__hipUnregisterFatBinary", "__hipRegisterFunction"),
    *("__hipRegisterVar", "__hipRegisterManagedVar", "__hipPopCallConfiguration"),
    *("hipLaunchKernel", "atexit"),
)


class Variant(NamedTuple):
    options: str
    """For the compiler."""
    link: str = "ld.lld-{v} -shared -z undefs"
    """How the object becomes a file: a linker with its options, "driver …", "ar", or nothing."""
    versions: tuple[int, ...] = (19, 22)
    unread: str = ""
    """Part of why registration is not read."""


RDC = "-O2 -fPIC -fgpu-rdc"
LARGE = "-O2 -fPIC -Xarch_host -mcmodel=large"
WINDOWS = "-O2 --target=x86_64-pc-windows-msvc"
DRIVER = "driver --offload-link -nogpulib -nostdlib -fuse-ld=lld -shared -Wl,-z,undefs"
VARIANTS = {
    "optimised": Variant("-O2 -fPIC"),
    "not optimised": Variant("-O0 -fPIC"),
    "object": Variant("-O2 -fPIC", ""),
    "static library": Variant("-O2 -fPIC", "ar"),
    "old driver": Variant("-O2 -fPIC --no-offload-new-driver"),
    "new driver": Variant("-O2 -fPIC --offload-new-driver"),
    "new driver, rdc": Variant(f"{RDC} --offload-new-driver", DRIVER),
    "new driver, rdc, partitions": Variant(
        f"{RDC} --offload-new-driver",
        f"{DRIVER} -Xoffload-linker --lto-partitions=3",
        versions=(22,),
    ),
    "new driver, rdc, stripped": Variant(f"{RDC} --offload-new-driver", f"{DRIVER} -Wl,-s"),
    "compressed": Variant("-O2 -fPIC --offload-compress"),
    "version 4": Variant("-O2 -fPIC -mcode-object-version=4"),
    "version 6": Variant("-O2 -fPIC -mcode-object-version=6"),
    "debug": Variant("-O1 -fPIC -g"),
    "GNU ld": Variant("-O2 -fPIC", "ld.bfd -shared"),
    "gold": Variant("-O2 -fPIC", "ld.gold -shared"),
    "RELR": Variant("-O2 -fPIC", "ld.lld-{v} -shared -z undefs -z pack-relative-relocs"),
    "collected": Variant(
        "-O2 -fPIC -ffunction-sections -fdata-sections",
        "ld.lld-{v} -shared -z undefs --gc-sections",
    ),
    "program": Variant("-O2 -fno-pie", "ld.lld-{v} -z undefs --no-pie -e 0 -dynamic-linker x"),
    "control flow guard": Variant("-O2 -fPIC -Xarch_host -fcf-protection=full"),
    "no PLT": Variant("-O2 -fPIC -fno-plt"),
    "Windows object": Variant(WINDOWS, ""),
    "Windows library": Variant(WINDOWS, "lld-link-{v}", versions=(22,)),
    "large code model": Variant(LARGE, unread="(large code model, thunks, registers)"),
    "retpoline": Variant(
        "-O2 -fPIC",
        "ld.lld-{v} -shared -z undefs -z retpolineplt",
        unread="(large code model, thunks, registers)",
    ),
    "AArch64": Variant(
        "-O2 -fPIC --target=aarch64-linux-gnu", "", unread="aarch64 code is not read"
    ),
}
CASES = [(name, version) for name, each in VARIANTS.items() for version in each.versions]


def test_there_are_enough() -> None:
    assert len(CASES) >= 40 and len(VARIANTS) >= 25


@pytest.mark.parametrize(("name", "version"), CASES)
def test_kernels_and_registrations(name: str, version: int, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    path = build(variant, version, tmp_path)
    (binary,) = open_path(str(path))
    assert list(binary.all_faults()) == []
    same_kernels(binary, tmp_path)
    found = registrations(binary, Limits())
    if variant.unread:
        assert variant.unread in " ".join(found.unread)
        return
    assert (found.names(), found.unread) == (NAMES, [])
    if binary.elf is not None and variant.link not in ("", "ar"):
        shown = disassembled(path)
        by_calls = {call.name for call in found.calls() if call.kind == "kernel"}
        assert shown <= by_calls
        assert shown == by_calls or "rdc" in name  # registered by a loop over a table


def build(variant: Variant, version: int, folder: Path) -> Path:
    compiler, made = tool(f"clang++-{version}"), folder / "kernels.o"
    output_of(
        *(compiler, "-x", "hip", "-nogpuinc", "-nogpulib", "--offload-arch=gfx90a"),
        *("--offload-arch=gfx1100", *variant.options.split(), "-c", BINARY / "kernels.hip"),
        *("-o", made),
    )
    if not variant.link:
        return made
    program, *options = variant.link.format(v=version).split()
    result = folder / "linked"
    if program == "ar":
        output_of(tool("ar"), "rcs", folder / "kernels.a", made)
        return folder / "kernels.a"
    if program == "driver":
        output_of(compiler, *options, made, "-o", result)
    elif program.startswith("lld-link"):
        link_for_windows(program, version, folder, made, result)
    else:
        output_of(tool(program), *options, made, runtime(folder), "-o", result)
    return result


def runtime(folder: Path) -> Path:
    stub = folder / "libamdhip64.so"
    (folder / "stub.c").write_text("".join(f"void {name}(void) {{}}\n" for name in RUNTIME))
    output_of(
        *(tool("clang-22"), "-shared", "-nostdlib", "-fno-builtin", "-fPIC"),
        *(folder / "stub.c", "-o", stub),
    )
    return stub


def link_for_windows(program: str, version: int, folder: Path, made: Path, result: Path) -> None:
    exports = "\n".join(f"  {name}" for name in RUNTIME if name != "atexit")
    (folder / "amdhip64.def").write_text(f"LIBRARY amdhip64.dll\nEXPORTS\n{exports}\n")
    output_of(
        *(tool(f"llvm-dlltool-{version}"), "-m", "i386:x86-64"),
        *("-d", folder / "amdhip64.def", "-l", folder / "amdhip64.lib"),
    )
    output_of(
        *(tool(program), "/dll", "/noentry", "/nodefaultlib", "/force:unresolved"),
        *(f"/out:{result}", made, folder / "amdhip64.lib"),
    )


def same_kernels(binary: Binary, folder: Path) -> None:
    """Every code object has the kernels that llvm-readelf lists, and all have those of the
    source; with rdc an object holds bitcode."""
    objects = 0
    tables = {table.entry: table.records for table in kernel_tables(binary, Limits())}
    for entry, code_object in code_objects(binary, Limits()):
        source = code_object.source
        (folder / "one.co").write_bytes(source.read(0, source.size))
        notes = output_of(tool("llvm-readelf-22"), "--notes", folder / "one.co")
        # Arguments have names too, indented deeper than the kernels'.
        theirs = re.findall(r"^    \.name: +(\S+)$", notes, re.M)
        ours = [record[".name"] for record in tables[entry]]
        assert sorted(ours) == sorted(theirs) and set(ours) == NAMES
        objects += 1
    assert objects == 2


_CALL = re.compile(r"\bcallq\b\s+0x([0-9a-f]+)")
_JUMP = re.compile(r"^ *([0-9a-f]+):.*\bjmpq\s+\*.*# 0x([0-9a-f]+)", re.M)
_BY_SLOT = re.compile(r"\bcallq\s+\*.*# 0x([0-9a-f]+)")
_NAME = re.compile(r"\bleaq\s.*%rcx\s+# 0x([0-9a-f]+)|\bmovl\s+\$0x([0-9a-f]+), %ecx")


def disassembled(path: Path) -> set[str]:
    """The strings at the addresses in rcx when __hipRegisterFunction is called."""
    text = output_of(tool("llvm-objdump-22"), "-d", "--no-show-raw-insn", path)
    relocations = output_of(tool("llvm-readelf-22"), "-rW", path)
    slots = {
        int(address, 16)
        for address in re.findall(r"^0*([0-9a-f]+) .* __hipRegisterFunction ", relocations, re.M)
    }
    # A stub starts at its jump, or at the endbr64 before it.
    stubs = {
        int(at, 16) - back
        for at, to in _JUMP.findall(text)
        for back in (0, 4)
        if int(to, 16) in slots
    }
    found, address = set(), None
    for line in text.splitlines():
        name = _NAME.search(line)
        if name is not None:
            address = int(name[1] or name[2], 16)
        direct, slot = _CALL.search(line), _BY_SLOT.search(line)
        called = direct is not None and int(direct[1], 16) in stubs
        if called or (slot is not None and int(slot[1], 16) in slots):
            if address is not None:
                found.add(string_at(path, address))
            address = None
    return found - {""}


def string_at(path: Path, address: int) -> str:
    """The C string that is loaded there, by llvm-readelf's program headers."""
    headers = output_of(tool("llvm-readelf-22"), "-lW", path)
    for row in re.findall(r"^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", headers, re.M):
        offset, start, size = (int(each, 16) for each in row)
        if start <= address < start + size:
            data = path.read_bytes()[offset + address - start :]
            return data.partition(b"\0")[0].decode()
    return ""


def test_the_reference_finds_names(tmp_path: Path) -> None:
    """Else it would agree with anything."""
    path = build(VARIANTS["optimised"], 22, tmp_path)
    assert disassembled(path) == NAMES
