// A stack of its own for every thread of a block, and the switch between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

// Leaves the present stack, writes down where, and goes on with another.
extern "C" void lanes_switch(void **leave, void *enter);

// A stack on which `entry` is called as soon as it is switched to.
void *prepare_stack(char *memory, std::size_t size, void (*entry)());

} // namespace emulator
