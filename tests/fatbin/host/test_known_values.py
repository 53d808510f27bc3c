"""What is known of registers and of the stack behind one instruction of x86-64 or AArch64.

Before it everything is known: register N has the value 100 + N. What an instruction changes in a
way that is not followed counts as lost (None); so does more than it changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.host import aarch64_code, x86_code
from hipport.fatbin.host.code_walk import OTHER, Key, Machine, State, Step, Value
from tests.support.binaries import only, output_of, tool

pytestmark = pytest.mark.toolchain
_SLOT = 32
START, SLOTS = 0x10000, {0x10100: "__hipRegisterFunction", 164: "atexit"}
MASK = (1 << 64) - 1
AX, CX, DX, BX, SP, BP, SI, DI, R8, R9 = range(10)
LOW, HIGH, PLACE = (SP, 8), (BP, -8), (31, 8)
X86_BEFORE: State = {**{at: 100 + at for at in range(16) if at != SP}, LOW: 7, HIGH: 9}
ARM_BEFORE: State = {**{at: 100 + at for at in range(31)}, PLACE: 7}
Changes = dict[Key, Value | None]
ALL: Changes = dict.fromkeys((AX, CX, DX, BX, SI, DI))
X86_CHANGES: dict[str, Changes] = {
    "lea 0x10(%rip), %rcx": {CX: START + 0x17},
    "lea -0x10(%rip), %r9": {R9: START - 0x9},
    "lea 8(%rax,%rdx,4), %rcx": {CX: 516},
    "lea 8(,%rdx,8), %rcx": {CX: 824},
    "lea -300(%rdx), %rcx": {CX: MASK - 0xC5},
    "lea 8(%rax), %ecx": {CX: None},
    "lea 8(%rsp), %rcx": {CX: None},
    "lea 8(%rsp), %rsp": {LOW: None},
    "mov $5, %ecx": {CX: 5},
    "mov $-1, %ecx": {CX: 0xFFFFFFFF},
    "mov $-2, %rcx": {CX: MASK - 0x1},
    "movabs $0x1122334455667788, %r9": {R9: 0x1122334455667788},
    "movabs $-1, %rax": {AX: MASK},
    "mov %rax, %rcx": {CX: 100},
    "mov %eax, %ecx": {AX: None, CX: None},
    ".byte 0x48, 0x8b, 0xc8": {CX: 100},
    "movb %al, %cl": {AX: None, CX: None},
    "movb $1, %ch": {HIGH: None, BP: None},
    "mov 8(%rsp), %rcx": {CX: 7},
    "mov 16(%rsp), %rcx": {CX: None},
    "mov 8(%rsp), %ecx": {LOW: None, CX: None},
    "mov -8(%rbp), %rcx": {CX: 9},
    "mov %rcx, 16(%rsp)": {(SP, 16): 101},
    "mov %rcx, 8(%rsp)": {LOW: 101},
    "mov %rcx, 8(%rsp,%rax)": {},
    "mov %rcx, (%rax)": {},
    "movl $1, 8(%rsp)": {LOW: None},
    "movl $1, 12(%rsp)": {LOW: None},
    "movl $1, 16(%rsp)": {},
    "movl $1, -56(%rsp)": {},
    "movl $1, -57(%rsp)": {},
    "vmovups %ymm1, (%rsp)": {LOW: None},
    "mov 0xf9(%rip), %rcx": {CX: "__hipRegisterFunction"},
    "mov 0x19(%rip), %rcx": {CX: OTHER},
    "mov 64(%rax), %rcx": {CX: "atexit"},
    "add %rax, %rcx": {CX: 201},
    ".byte 0x48, 0x03, 0xc8": {CX: 201},
    "add %eax, %ecx": {AX: None, CX: None},
    "add $7, %rcx": {CX: 108},
    "sub $7, %rcx": {HIGH: None, CX: 94},
    "add $0x12345, %rcx": {CX: 0x123AA},
    "sub $0x12345, %rcx": {HIGH: None, CX: MASK - 0x122DF},
    "and $7, %rcx": {CX: None},
    "addl $7, %ecx": {CX: None},
    "add $8, %rsp": {LOW: None},
    "sub $8, %rsp": {LOW: None, HIGH: None},
    "add %rax, 8(%rsp)": {LOW: None, AX: None},
    "imul %rdx, %rcx": {CX: None, DX: None},
    "imul $3, %rdx, %rcx": {CX: None, DX: None},
    "mul %rcx": ALL,
    "mulb %cl": ALL,
    "divb %cl": ALL,
    "xchg %rcx, %rax": ALL,
    "xchg %rdi, %rax": ALL,
    "cmpxchg %cl, %dl": ALL,
    "div %rcx": ALL,
    "neg %rcx": ALL,
    "shl $2, %rcx": {CX: None},
    "xchg %rax, %rcx": ALL,
    "xchg %rcx, %rdx": {CX: None, DX: None},
    "cmpxchg %rcx, %rdx": ALL,
    "cmpxchg16b (%rdi)": ALL,
    "xor %ecx, %ecx": {CX: None},
    "movzbl %al, %ecx": {AX: None, CX: None},
    "cmove %rax, %rcx": {AX: None, CX: None},
    "sete %cl": {AX: None, CX: None},
    "bswap %rcx": ALL,
    "rdtsc": ALL,
    "cpuid": ALL,
    "cltq": ALL,
    "rep movsq": ALL,
    "push %rbx": {LOW: None},
    "pushq $1": {**ALL, LOW: None},
    "pop %rbx": {LOW: None, BX: None},
    "pop %rsp": {LOW: None, AX: None},
    "leave": {**ALL, LOW: None},
    "cmp %rax, %rcx": {},
    "cmp $7, %rcx": {},
    "cmp $0x777, %rcx": {},
    "cmpb $7, %ch": {},
    "test %rax, %rcx": {},
    "test $7, %ecx": {},
    "test %al, %al": {},
    "test $7, %al": {},
    "test $7, %eax": {},
    "testb $7, %cl": {},
    "nop": {},
    "nopl 8(%rax)": {},
    "endbr64": {},
    "prefetcht0 (%rax)": {},
    "movaps %xmm1, %xmm2": {},
    "movd %xmm1, %ecx": {CX: None},
    "movq %rcx, %xmm1": {},
    "movmskps %xmm1, %ecx": {CX: None},
    "cvttsd2si %xmm1, %rcx": {CX: None},
    "pextrw $1, %xmm1, %ecx": {CX: None},
    "pmovmskb %xmm1, %ecx": {CX: None},
    "vmovd %xmm1, %ecx": {CX: None},
    "vpxor %xmm1, %xmm2, %xmm3": {},
    "vmovmskps %ymm1, %ecx": {CX: None},
    "vzeroupper": {},
    "andn %rax, %rcx, %rdx": {AX: None, DX: None},
    "shlx %rax, %rcx, %rdx": {CX: None, DX: None},
    "mov %rsp, %rbp": {HIGH: None, BP: None},
    "mov %rbp, %rcx": {HIGH: None, CX: 105},
    "mov %rcx, %rbp": {HIGH: None, BP: 101},
    "add %rcx, %rbp": {HIGH: None, BP: 206},
    "xor %ebp, %ebp": {HIGH: None, BP: None},
    "vmovups %zmm1, 128(%rsp)": {LOW: None},
    "vmovups %zmm1, -64(%rsp)": {LOW: None},
    "vmovups %zmm1, 64(%rsp)": {LOW: None},
    "vmovups %zmm1, -64(%rbp)": {HIGH: None},
    "vmovups 64(%rsp), %zmm1": {LOW: None},
    "mov %r9, %r8": {R8: 109},
    "push (%rcx)": {LOW: None},
    "pop (%rcx)": {LOW: None},
    "pushf": {**ALL, LOW: None},
    "popf": {**ALL, LOW: None},
    "incl (%rsp)": {LOW: None},
    "mov %r8d, %r9d": {R8: None, R9: None},
}
ARM_CHANGES: dict[str, Changes] = {
    "adr x1, .+0x10": {1: START + 0x10},
    "adr x1, .-0x10": {1: START - 0x10},
    "adrp x1, 0x3000": {1: 0x13000},
    "add x1, x2, #0x10": {1: 118},
    "add x1, x2, #0x10, lsl #12": {1: START + 0x66},
    "add w1, w2, #0x10": {1: None},
    "add sp, sp, #16": {PLACE: None},
    "sub sp, sp, #16": {PLACE: None},
    "sub x1, x2, #16": {1: None},
    "add x1, x2, x3": {1: None},
    "mov x1, x2": {1: 102},
    "mov w1, w2": {1: None},
    "mov x29, sp": {29: None},
    "movz x1, #0x1234": {1: 0x1234},
    "movz x1, #0x1234, lsl #32": {1: 0x123400000000},
    "movz w1, #0x1234": {1: None},
    "movn x1, #0x1234": {1: None},
    "movk x1, #0x1234": {1: 0x1234},
    "movk x1, #0x1234, lsl #48": {1: 0x1234000000000065},
    "movk w1, #0x1234": {1: None},
    "ldr x1, .+0x100": {1: "__hipRegisterFunction"},
    "ldr x1, .+0x108": {1: OTHER},
    "ldr x1, .-0x8": {1: OTHER},
    "ldr w1, .+0x100": {0: None, 1: None},
    "ldr x1, [x2, #64]": {1: OTHER},
    "ldr x1, [x2, #62]": {1: None, 2: None},
    "ldr x1, [x2, #72]": {1: OTHER},
    "ldr x1, [sp, #8]": {1: 7},
    "ldr x1, [sp, #16]": {1: None},
    "ldr w1, [sp, #8]": {1: None},
    "str x1, [sp, #8]": {PLACE: 101},
    "str x1, [sp, #16]": {(31, 16): 101},
    "str w1, [sp, #16]": {1: None},
    "str w1, [sp, #8]": {PLACE: None, 1: None},
    "str w1, [sp, #12]": {PLACE: None, 1: None},
    "strb w1, [sp, #7]": {1: None},
    "strb w1, [sp, #15]": {PLACE: None, 1: None},
    "strh w1, [sp, #16]": {1: None},
    "str q1, [sp]": {PLACE: None, 1: None},
    "str q1, [sp, #16]": {1: None},
    "str d1, [sp, #8]": {PLACE: None, 1: None},
    "ldr q1, [sp]": {1: None},
    "stp w1, w2, [sp, #8]": {PLACE: None, 1: None, 2: None},
    "stp w1, w2, [sp, #16]": {1: None, 2: None},
    "stp w1, w2, [sp]": {1: None, 2: None},
    "stp q1, q2, [sp]": {PLACE: None, 1: None, 2: None},
    "stp q1, q2, [sp, #-32]": {1: None, 2: None},
    "stp q1, q2, [sp, #-16]": {PLACE: None, 1: None, 2: None},
    "stp d1, d2, [sp, #16]": {1: None, 2: None},
    "stp s1, s2, [sp, #4]": {PLACE: None, 1: None, 2: None},
    "stp s1, s2, [sp, #16]": {1: None, 2: None},
    "ldp q1, q2, [sp]": {1: None, 2: None},
    "stnp x1, x2, [sp, #64]": {PLACE: None, 1: None, 2: None},
    "and sp, x1, #-64": {PLACE: None},
    "add sp, sp, x1": {PLACE: None},
    "sub sp, x3, x1": {PLACE: None},
    "str x1, [x2, #8]": {},
    "strb w1, [x2]": {1: None},
    "stp x1, x2, [sp, #8]": {PLACE: None, 1: None, 2: None},
    "stp x1, x2, [sp, #-16]!": {PLACE: None, 1: None, 2: None},
    "stp x1, x2, [sp], #16": {PLACE: None, 1: None, 2: None},
    "stp x1, x2, [sp, #-8]": {1: None, 2: None},
    "ldp x1, x2, [sp, #16]": {1: None, 2: None},
    "ldp x1, x2, [x3]": {1: None, 2: None},
    "ldp x1, x2, [x3], #16": {1: None, 2: None, 3: None},
    "ldr x1, [x2], #8": {1: None, 2: None},
    "ldr x1, [x2, #8]!": {1: None, 2: None},
    "ldr x1, [x2, x3]": {1: None, 2: None},
    "str x1, [x2, #8]!": {1: None, 2: None},
    "str x1, [sp, #-16]!": {PLACE: None, 1: None},
    "ldr q1, [x2]": {1: None},
    "nop": {},
    "bti c": {},
    "paciasp": {},
    "hint #34": {},
    "madd x1, x2, x3, x4": {1: None},
    "cset x1, eq": {1: None},
    "cmp x1, x2": {},
    "cmp x1, #4": {},
    "mrs x1, tpidr_el0": {1: None},
    "fmov x1, d2": {1: None},
}
X86_STEPS = {
    "movabs 0x10100, %rax": Step(0),
    "call .+0x15": Step(5, calls=True, called=START + 0x15),
    "jmp .+0x12": Step(2, jump=START + 0x12, goes_on=False),
    ".byte 0xe9, 0x10, 0, 0, 0": Step(5, jump=START + 0x15, goes_on=False),
    "je .+0x12": Step(2, jump=START + 0x12),
    ".byte 0x0f, 0x85, 0xf0, 0xff, 0xff, 0xff": Step(6, jump=START - 0xA),
    "loop .-0x10": Step(2, jump=START - 0x10),
    "jrcxz .+0x12": Step(2, jump=START + 0x12),
    "call *%rcx": Step(2, calls=True, called=101),
    "jmp *%rcx": Step(2, calls=True, called=101, goes_on=False),
    "call *8(%rsp)": Step(4, calls=True, called=7),
    "call *0xfa(%rip)": Step(6, calls=True, called="__hipRegisterFunction"),
    "jmp *0xfa(%rip)": Step(6, calls=True, called="__hipRegisterFunction", goes_on=False),
    "call *(%r8,%r9)": Step(4, calls=True, called=OTHER),
    "ret": Step(1, goes_on=False),
    "ret $8": Step(3, goes_on=False),
    "int3": Step(1, goes_on=False),
    "hlt": Step(1, goes_on=False),
    "ud2": Step(2, goes_on=False),
    ".byte 0xf2, 0xff, 0x25, 0xf9, 0, 0, 0": Step(
        7, calls=True, called="__hipRegisterFunction", goes_on=False
    ),
}
ARM_STEPS = {
    "ret": Step(4, goes_on=False),
    "b .+16": Step(4, jump=START + 0x10, goes_on=False),
    "b .-16": Step(4, jump=START - 0x10, goes_on=False),
    "bl .+16": Step(4, calls=True, called=START + 0x10),
    "bl .-16": Step(4, calls=True, called=START - 0x10),
    "br x3": Step(4, calls=True, called=103, goes_on=False),
    "blr x3": Step(4, calls=True, called=103),
    "b.eq .+16": Step(4, jump=START + 0x10),
    "b.ne .-16": Step(4, jump=START - 0x10),
    "cbz x1, .+32": Step(4, jump=START + 0x20),
    "cbnz w1, .-32": Step(4, jump=START - 0x20),
    "tbz x1, #3, .+16": Step(4, jump=START + 0x10),
    "tbnz x1, #40, .-16": Step(4, jump=START - 0x10),
}


@pytest.mark.parametrize(
    ("machine", "target", "before", "changes"),
    [
        (x86_code.SYSTEM_V, "x86_64-linux-gnu", X86_BEFORE, X86_CHANGES),
        (aarch64_code.MACHINE, "aarch64-linux-gnu", ARM_BEFORE, ARM_CHANGES),
    ],
    ids=["x86-64", "AArch64"],
)
def test_values_behind_an_instruction(
    machine: Machine, target: str, before: State, changes: dict[str, Changes], tmp_path: Path
) -> None:
    for text, code in assembled(tmp_path, target, [*changes]):
        state = dict(before)
        step = machine.step(code, 0, START, state, SLOTS)
        assert (step.calls, step.jump, step.goes_on) == (False, None, True), text
        keys = before.keys() | state.keys()
        found = {key: state.get(key) for key in keys if state.get(key) != before.get(key)}
        assert found == changes[text], text


@pytest.mark.parametrize(
    ("machine", "target", "before", "steps"),
    [
        (x86_code.SYSTEM_V, "x86_64-linux-gnu", X86_BEFORE, X86_STEPS),
        (aarch64_code.MACHINE, "aarch64-linux-gnu", ARM_BEFORE, ARM_STEPS),
    ],
    ids=["x86-64", "AArch64"],
)
def test_where_code_goes_on(
    machine: Machine, target: str, before: State, steps: dict[str, Step], tmp_path: Path
) -> None:
    for text, code in assembled(tmp_path, target, [*steps]):
        state = dict(before)
        assert (machine.step(code, 0, START, state, SLOTS), text) == (steps[text], text)
        assert state == before


def assembled(folder: Path, target: str, texts: list[str]) -> list[tuple[str, bytes]]:
    """Each instruction with its code."""
    source, made = folder / "code.s", folder / "code.o"
    source.write_text("".join(f"{text}\n.p2align {_SLOT.bit_length() - 1}\n" for text in texts))
    output_of(tool("clang-22"), f"--target={target}", "-c", source, "-o", made)
    elf = only(made).elf
    assert elf is not None
    section = elf.find(".text")
    assert section is not None
    code = bytes(elf.content(section).read(0, section.size))
    return [(text, code[at * _SLOT : (at + 1) * _SLOT]) for at, text in enumerate(texts)]
