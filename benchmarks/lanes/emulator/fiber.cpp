#include "fiber.h"

#ifndef __x86_64__
#error "the switch between stacks is written for x86-64"
#endif

// System V ABI for x86-64: the registers that a function must preserve.
asm(R"(
    .text
    .globl lanes_switch
lanes_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

namespace emulator {

void *prepare_stack(char *memory, std::size_t size, void (*entry)())
{
    auto *top = reinterpret_cast<std::uintptr_t *>((reinterpret_cast<std::uintptr_t>(memory) + size) & ~15ul);
    *--top = 0; // where the entry would return to: it never does
    *--top = reinterpret_cast<std::uintptr_t>(entry);
    for (int preserved = 0; preserved < 6; ++preserved)
        *--top = 0;
    return top;
}

} // namespace emulator
