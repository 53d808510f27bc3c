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
from tests.support.binaries import BINARY, output_of, tool
from tests.support.disassembled import disassembled

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


RDC = "-O2 -fPIC -fgpu-rdc"
LARGE = "-O2 -fPIC -Xarch_host -mcmodel=large"
WINDOWS = "-O2 --target=x86_64-pc-windows-msvc"
DRIVER = "driver --offload-link -nogpulib -nostdlib -fuse-ld=lld -shared -Wl,-z,undefs"
ARM = "--target=aarch64-linux-gnu"
PROGRAM = "ld.lld-{v} -z undefs --no-pie -e 0 -dynamic-linker x"
VARIANTS = {
    "optimized": Variant("-O2 -fPIC"),
    "not optimized": Variant("-O0 -fPIC"),
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
    "program": Variant("-O2 -fno-pie", PROGRAM),
    "control flow guard": Variant("-O2 -fPIC -Xarch_host -fcf-protection=full"),
    "no PLT": Variant("-O2 -fPIC -fno-plt"),
    "Windows object": Variant(WINDOWS, ""),
    "Windows library": Variant(WINDOWS, "lld-link-{v}", versions=(22,)),
    "Windows object, large code model": Variant(f"{WINDOWS} -Xarch_host -mcmodel=large", ""),
    "large code model": Variant(LARGE),
    "large code model, object": Variant(LARGE, ""),
    "large code model, static library": Variant(LARGE, "ar"),
    "large code model, not optimized": Variant(LARGE.replace("-O2", "-O0")),
    "large code model, vectors": Variant(
        f"{LARGE} -Xarch_host -mavx512f -Xarch_host -mno-red-zone"
    ),
    "large code model, program": Variant(LARGE.replace("-fPIC", "-fno-pie"), PROGRAM),
    "retpoline": Variant("-O2 -fPIC", "ld.lld-{v} -shared -z undefs -z retpolineplt"),
    "retpoline, bound at once": Variant(
        "-O2 -fPIC", "ld.lld-{v} -shared -z undefs -z retpolineplt -z now"
    ),
    "AArch64": Variant(f"-O2 -fPIC {ARM}"),
    "AArch64, not optimized": Variant(f"-O0 -fPIC {ARM}"),
    "AArch64, for size": Variant(f"-Oz -fPIC {ARM}"),
    "AArch64, object": Variant(f"-O2 -fPIC {ARM}", ""),
    "AArch64, static library": Variant(f"-O2 -fPIC {ARM}", "ar"),
    "AArch64, stripped": Variant(f"-O2 -fPIC {ARM}", "ld.lld-{v} -shared -z undefs -s"),
    "AArch64, RELR": Variant(
        f"-O2 -fPIC {ARM}", "ld.lld-{v} -shared -z undefs -z pack-relative-relocs"
    ),
    "AArch64, no PLT": Variant(f"-O2 -fPIC -fno-plt {ARM}"),
    "AArch64, branch targets": Variant(
        f"-O2 -fPIC {ARM} -Xarch_host -mbranch-protection=standard",
        "ld.lld-{v} -shared -z undefs -z force-bti",
    ),
    "AArch64, program": Variant(f"-O2 -fno-pie {ARM}", PROGRAM),
    "AArch64, large program": Variant(f"-O2 -fno-pie {ARM} -Xarch_host -mcmodel=large", PROGRAM),
    "AArch64, large object": Variant(f"-O2 -fno-pie {ARM} -Xarch_host -mcmodel=large", ""),
    "AArch64, tiny program": Variant(f"-O2 -fno-pie {ARM} -Xarch_host -mcmodel=tiny", PROGRAM),
    "AArch64, tiny object": Variant(f"-O2 -fno-pie {ARM} -Xarch_host -mcmodel=tiny", ""),
    "AArch64, new driver, rdc": Variant(f"{RDC} --offload-new-driver {ARM}", f"{DRIVER} {ARM}"),
}
CASES = [(name, version) for name, each in VARIANTS.items() for version in each.versions]


def test_there_are_enough() -> None:
    assert len(CASES) >= 80 and len(VARIANTS) >= 45


@pytest.mark.parametrize(("name", "version"), CASES)
def test_kernels_and_registrations(name: str, version: int, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    path = build(variant, version, tmp_path)
    (binary,) = open_path(str(path))
    assert list(binary.all_faults()) == []
    same_kernels(binary, tmp_path)
    found = registrations(binary, Limits())
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
        stub = runtime(folder, ARM if ARM in variant.options else "--target=x86_64-linux-gnu")
        output_of(tool(program), *options, made, stub, "-o", result)
    return result


def runtime(folder: Path, target: str) -> Path:
    stub = folder / "libamdhip64.so"
    (folder / "stub.c").write_text("".join(f"void {name}(void) {{}}\n" for name in RUNTIME))
    output_of(
        *(
            tool("clang-22"),
            target,
            "-fuse-ld=lld",
            "-shared",
            "-nostdlib",
            "-fno-builtin",
            "-fPIC",
        ),
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


def test_the_reference_finds_names(tmp_path: Path) -> None:
    """Else it would agree with anything."""
    for name in ("optimized", "large code model", "AArch64", "AArch64, large program"):
        path = build(VARIANTS[name], 22, tmp_path)
        assert disassembled(path) == NAMES
