"""Registration as different compilers, options and linkers write it: all must be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.host.registration import registrations
from hipport.fatbin.limits import Limits
from tests.fatbin.paths import BINARY, only, output_of, tool

pytestmark = pytest.mark.toolchain
NAMES = {"scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"}
LLD = ("ld.lld-22", "-shared", "-z", "undefs")
# Name -> compiler, its options, linker with its options ("" leaves the object).
FORMS = {
    "not optimised": ("clang++-22", ["-O0", "-fPIC"], LLD),
    "for size": ("clang++-22", ["-Os", "-fPIC"], LLD),
    "clang 15": ("clang++-15", ["-O2", "-fPIC"], LLD),
    "clang 19": ("clang++-19", ["-O3", "-fPIC"], LLD),
    "no PLT": ("clang++-22", ["-O2", "-fPIC", "-fno-plt"], LLD),
    "endbr64": ("clang++-22", ["-O2", "-fPIC", "-Xarch_host", "-fcf-protection=full"], LLD),
    "IBT PLT": (
        "clang++-22",
        ["-O2", "-fPIC", "-Xarch_host", "-fcf-protection=full"],
        (*LLD, "-z", "force-ibt"),
    ),
    "RELR": ("clang++-22", ["-O2", "-fPIC"], (*LLD, "-z", "pack-relative-relocs")),
    "GNU ld": ("clang++-22", ["-O2", "-fPIC"], ("ld.bfd", "-shared")),
    "sections": ("clang++-22", ["-O2", "-fPIC", "-ffunction-sections"], LLD),
    "large data": ("clang++-22", ["-O2", "-fPIC", "-mcmodel=medium"], LLD),
    "stripped": ("clang++-22", ["-O2", "-fPIC"], (*LLD, "-s")),
    "without unwinding": (
        "clang++-22",
        ["-O2", "-fPIC", "-fno-asynchronous-unwind-tables"],
        (*LLD, "-s"),
    ),
    "not relocatable": (
        "clang++-22",
        ["-O2", "-fno-pie"],
        ("ld.lld-22", "-z", "undefs", "--no-pie", "-e", "0", "-dynamic-linker", "x"),
    ),
    "object": ("clang++-22", ["-O2", "-fPIC"], ()),
    "object without PIC": ("clang++-22", ["-O2", "-fno-pic"], ()),
    "object not optimised": ("clang++-15", ["-O0"], ()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str, tmp_path: Path) -> None:
    compiler, options, linker = FORMS[form]
    library = tmp_path / "object.o"
    output_of(
        tool(compiler),
        *("-x", "hip", "-nogpuinc", "-nogpulib", "--offload-arch=gfx90a"),
        *options,
        *("-c", BINARY / "kernels.hip", "-o", library),
    )
    if linker:
        program, *rest = linker
        stub = tmp_path / "libamdhip64.so"
        (tmp_path / "stub.c").write_text(
            "".join(
                f"void {name}(void) {{}}\n"
                for name in (
                    "__hipRegisterFatBinary",
                    "__hipUnregisterFatBinary",
                    "__hipRegisterFunction",
                    "__hipRegisterVar",
                    "__hipPopCallConfiguration",
                    "hipLaunchKernel",
                    "atexit",
                )
            )
        )
        output_of(
            tool("clang-22"), "-shared", "-nostdlib", "-fPIC", tmp_path / "stub.c", "-o", stub
        )
        output_of(tool(program), *rest, library, stub, "-o", tmp_path / "linked")
        library = tmp_path / "linked"
    found = registrations(only(library), Limits())
    assert found.names() == NAMES
    assert found.names("variable") == {"counter"}
    assert found.problems == [] and found.unassigned == []
    assert [group.bundle.index if group.bundle else None for group in found.groups] == [0]


def test_surfaces_and_textures(tmp_path: Path) -> None:
    """HIP headers of today declare neither, so that the calls are written in assembly."""
    calls = "".join(
        f"  lea {name}(%rip), %rcx\n  mov %rcx, %rdx\n  call {function}@PLT\n"
        for function, name in (
            ("__hipRegisterSurface", "surface"),
            ("__hipRegisterTexture", "texture"),
        )
    )
    source = tmp_path / "host.s"
    source.write_text(
        ".globl constructor\n.type constructor, @function\nconstructor:\n"
        "  lea wrapper(%rip), %rdi\n  call __hipRegisterFatBinary@PLT\n"
        f"{calls}  ret\n.size constructor, .-constructor\n"
        '.section .rodata\nsurface: .asciz "surf"\ntexture: .asciz "tex"\n'
        '.section .hip_fatbin,"a"\n.p2align 12\nbundle:\n'
        f'.incbin "{BINARY / "bundles/v3.hipfb"}"\n'
        '.section .hipFatBinSegment,"aw"\n.p2align 3\nwrapper:\n'
        ".long 0x48495046, 1\n.quad bundle, 0\n"
    )
    library = tmp_path / "host.o"
    output_of(tool("clang-22"), "-c", source, "-o", library)
    (group,) = registrations(only(library), Limits()).groups
    assert [(c.kind, c.name) for c in group.calls] == [("surface", "surf"), ("texture", "tex")]
    assert group.bundle is not None and group.bundle.compression == "zstd"
