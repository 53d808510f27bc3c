"""Registration as different compilers, options and linkers write it: all must be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.host import linked_elf
from hipport.fatbin.host.registration import registrations
from hipport.fatbin.limits import Limits
from tests.support.binaries import BINARY, only, output_of, run, tool

pytestmark = pytest.mark.toolchain
NAMES = {"scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"}
LLD = ("ld.lld-22", "-shared", "-z", "undefs")
# Name -> compiler, its options, linker with its options ("" leaves the object).
FORMS = {
    "not optimized": ("clang++-22", ["-O0", "-fPIC"], LLD),
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
    "AArch64 object": ("clang++-22", ["-O2", "-fPIC", "--target=aarch64-linux-gnu"], ()),
    "AArch64 object, no PLT": (
        "clang++-22",
        ["-O2", "-fPIC", "-fno-plt", "--target=aarch64-linux-gnu"],
        (),
    ),
    "object not optimized": ("clang++-15", ["-O0"], ()),
}


def built(compiler: str, options: list[str], linker: tuple[str, ...], tmp_path: Path) -> Path:
    """An object of that compiler with those options, linked unless `linker` is empty."""
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
    return library


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str, tmp_path: Path) -> None:
    library = built(*FORMS[form], tmp_path)
    found = registrations(only(library), Limits())
    assert found.names() == NAMES
    assert found.names("variable") == {"counter"}
    assert found.problems == [] and found.unassigned == []
    assert [group.bundle.index if group.bundle else None for group in found.groups] == [0]


# Name -> compiler, options, linker, part of what has to be said.
LARGE = ["-O2", "-fPIC", "-Xarch_host", "-mcmodel=large"]
UNREAD = {
    "large code model without a table of functions": (
        "clang++-22",
        LARGE,
        (*LLD, "-s"),
        "is used in a way that is not read",
    ),
    "RISC-V object": (
        "clang++-22",
        ["-O2", "-fPIC", "--target=riscv64-linux-gnu"],
        (),
        "riscv code is not read",
    ),
}


@pytest.mark.parametrize("form", UNREAD)
def test_what_is_not_read_is_said_and_fails(form: str, tmp_path: Path) -> None:
    compiler, options, linker, message = UNREAD[form]
    library = built(compiler, options, linker, tmp_path)
    found = registrations(only(library), Limits())
    assert not found.readable and message in found.unread[0]
    assert f"note: {found.unread[0]}" in run("kernels", "--registered", library).stdout
    checked = run("check", library)
    assert checked.exit_code == 0 and "absent" in checked.stdout and message in checked.stdout
    assert run("check", library, "--fail-on", "absent").exit_code == 1
    assert run("check", library, "--fail-on", "unregistered").exit_code == 1


def test_only_code_counts_against_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older linkers put all read-only data into the executable segment."""
    data = tmp_path / "data.s"
    data.write_text(".section .rodata\n.globl much\nmuch: .fill 4194304, 1, 1\n")
    output_of(tool("clang-22"), "-c", data, "-o", tmp_path / "data.o")
    options = (*LLD, "--no-rosegment", "-z", "noseparate-code", str(tmp_path / "data.o"))
    library = built("clang++-22", ["-O2", "-fPIC"], options, tmp_path)
    elf = only(library).elf
    assert elf is not None
    assert any(s.flags & 1 and s.file_size > 4 << 20 for s in elf.segments)
    monkeypatch.setattr(linked_elf, "_MAX_CODE", 1 << 16)
    found = registrations(only(library), Limits())
    assert (found.names(), found.problems) == (NAMES, [])
    monkeypatch.setattr(linked_elf, "_MAX_CODE", 16)
    found = registrations(only(library), Limits())
    assert found.unread == ["more host code than is searched (16 bytes)"]


HOST = (
    ".globl constructor\n.type constructor, @function\nconstructor:\n"
    "  lea wrapper(%rip), %rdi\n  call __hipRegisterFatBinary@PLT\n"
    "  lea name(%rip), %rcx\n  mov %rcx, %rdx\n  call __hipRegisterFunction@PLT\n"
    "  ret\n.size constructor, .-constructor\n"
    '.section .rodata\nname: .asciz "scale"\n'
    '.section .hip_fatbin,"a"\n.p2align 12\n.globl __hip_fatbin\n__hip_fatbin:\n'
    f'.incbin "{BINARY / "bundles/v3.hipfb"}"\n'
    '.section .hipFatBinSegment,"aw"\n.p2align 3\nwrapper:\n'
    ".long 0x48495046, 1\n.quad __hip_fatbin, 0\n"
)


def test_a_wrapper_may_point_at_a_global_symbol(tmp_path: Path) -> None:
    (tmp_path / "host.s").write_text(HOST)
    output_of(tool("clang-22"), "-c", tmp_path / "host.s", "-o", tmp_path / "host.o")
    library = tmp_path / "lib.so"
    for linker in ("ld.lld-22", "ld.bfd"):
        output_of(tool(linker), "-shared", tmp_path / "host.o", "-o", library)
        relocations = output_of(tool("llvm-readelf-22"), "-r", library)
        assert "R_X86_64_64 " in relocations
        (group,) = registrations(only(library), Limits()).groups
        assert group.bundle is not None and group.names() == ["scale"]
        result = run("check", library, "--fail-on", "mismatch")
        assert "points at no bundle" not in result.stdout
        # The wrappers are all there is without section headers.
        data = bytearray(library.read_bytes())
        data[40:48], data[58:64] = bytes(8), bytes(6)
        (tmp_path / "stripped.so").write_bytes(data)
        assert len(only(tmp_path / "stripped.so").bundles) == 1


def test_a_runtime_that_is_linked_in_hides_the_calls(tmp_path: Path) -> None:
    (tmp_path / "host.s").write_text(HOST)
    (tmp_path / "runtime.c").write_text(
        "void __hipRegisterFatBinary(void) {}\nvoid __hipRegisterFunction(void) {}\n"
    )
    for name in ("host.s", "runtime.c"):
        output_of(
            *(tool("clang-22"), "-fPIC", "-fvisibility=hidden", "-c", tmp_path / name),
            *("-o", tmp_path / f"{name}.o"),
        )
    library = tmp_path / "lib.so"
    objects = (tmp_path / "host.s.o", tmp_path / "runtime.c.o")
    output_of(tool("ld.lld-22"), "-shared", *objects, "-o", library)
    found = registrations(only(library), Limits())
    assert found.unread == ["1 of 1 wrappers are registered by calls that were not found"]


LOAD = "  mov __hipRegisterFunction@GOTPCREL(%rip), %r14\n"
# How the address of the function gets from r14 to a call -> whether that is followed.
THROUGH_REGISTERS = {
    "  call *%r14\n": True,
    "  mov %r14, %r12\n  mov %r12, 8(%rsp)\n  call atexit@PLT\n"
    "  lea name(%rip), %rcx\n  call *8(%rsp)\n": True,
    "  test %edi, %edi\n  jne 1f\n  mov %r14, %rbx\n1: call *%rbx\n": False,
    "  cmove %rax, %r14\n  call *%r14\n": False,
    "  mov %r14, pointer(%rip)\n  call *pointer(%rip)\n": False,
    "1: call *%r14\n  mov %rax, %r14\n  jmp 1b\n": False,
    "  mov %r14, %r11\n  call thunk\n": False,
}


@pytest.mark.parametrize("code", THROUGH_REGISTERS)
def test_calls_through_registers_are_read_or_said_to_be_unread(code: str, tmp_path: Path) -> None:
    call = "  call __hipRegisterFunction@PLT\n"
    source = HOST.replace(call, f"{LOAD}{code}  lea name(%rip), %rcx\n{call}")
    (tmp_path / "host.s").write_text(
        f"{source}.bss\npointer: .quad 0\n.text\n.type thunk, @function\nthunk: jmp *%r11\n"
    )
    (tmp_path / "stub.c").write_text(
        "void __hipRegisterFatBinary(void) {}\nvoid __hipRegisterFunction(void) {}\n"
        "void atexit(void) {}\n"
    )
    stub, library = tmp_path / "stub.so", tmp_path / "lib.so"
    output_of(
        *(tool("clang-22"), "-shared", "-nostdlib", "-fno-builtin", tmp_path / "stub.c"),
        *("-o", stub),
    )
    output_of(tool("clang-22"), "-c", tmp_path / "host.s", "-o", tmp_path / "host.o")
    output_of(
        *(tool("ld.lld-22"), "-shared", "--noinhibit-exec", tmp_path / "host.o", stub),
        *("-o", library),
    )
    found = registrations(only(library), Limits())
    assert "scale" in found.names() or not THROUGH_REGISTERS[code]
    assert found.unread == (
        []
        if THROUGH_REGISTERS[code]
        else ["1 calls through registers in registration code are not known"]
    )


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
