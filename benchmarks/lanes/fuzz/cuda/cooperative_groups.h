// In place of CUDA's header: a block and its tiles, all of whose lanes have to take part.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

struct thread_block {
    unsigned thread_rank() const { return threadIdx.x + blockDim.x * threadIdx.y; }
    void sync() const { __syncthreads(); }
};
inline thread_block this_thread_block() { return {}; }

template <unsigned Size> struct thread_block_tile {
    unsigned thread_rank() const { return emulator::lane() % Size; }
    unsigned size() const { return Size; }
    unsigned meta_group_rank() const { return thread_block().thread_rank() / Size; }
    void sync() const { cuda_warp::members(mask()); }
    template <typename T> T shfl(T value, int from) const { return __shfl_sync(mask(), value, from, Size); }
    template <typename T> T shfl_up(T value, unsigned delta) const { return __shfl_up_sync(mask(), value, delta, Size); }
    template <typename T> T shfl_down(T value, unsigned delta) const
    {
        return __shfl_down_sync(mask(), value, delta, Size);
    }
    template <typename T> T shfl_xor(T value, unsigned lanes) const { return __shfl_xor_sync(mask(), value, lanes, Size); }
    unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first(); }
    int any(int predicate) const { return __any_sync(mask(), predicate); }
    int all(int predicate) const { return __all_sync(mask(), predicate); }

private:
    static unsigned first() { return emulator::lane() & ~(Size - 1); }
    static unsigned mask() { return ~0u >> (32 - Size) << first(); }
};
template <unsigned Size> thread_block_tile<Size> tiled_partition(const thread_block &) { return {}; }

} // namespace cooperative_groups
