// What the headers under ../include need of the emulator. docs/lanes.md describes the model.
#pragma once

#include <cstddef>
#include <cstdint>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
// The lanes of a wavefront: 32 or 64, from the environment variable LANES.
extern const int warpSize;

namespace emulator {

// The lanes that execute a warp function together, and the word that each of them passes.
struct Meeting {
    std::uint64_t active;
    std::uint64_t words[64];
};

// What a barrier of the block has seen: how many threads, and of how many the predicate holds.
struct Votes {
    unsigned threads, in_favour;
};

// Whether the caller is a thread of a kernel, and not the host.
bool in_kernel();
// The lane of the calling thread in its wavefront.
unsigned lane();
// Lets the other lanes of the wavefront come as far as the calling one.
void step();
// Waits for the lanes that reach the same call in lockstep, and says what they pass.
const Meeting &meet(std::uint64_t word);
// Waits for all wavefronts of the block.
Votes barrier(bool predicate);
// Counts an assertion of HIP's that does not hold.
void trap();
// The memory of the block that a launch asks for.
extern char dynamic_shared[64 * 1024];
// Runs a kernel, one block after the other; false where the launch is not a valid one.
bool launch(dim3 grid, dim3 block, std::size_t shared, void (*body)(void *), void *arguments);

} // namespace emulator
