// The groups within a block that the programs use: a block, its tiles, the lanes that are active.
#pragma once

#include "hip_runtime.h"

namespace cooperative_groups {

LANES_API unsigned lanes_rank_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

struct thread_block {
    unsigned thread_rank() const { return lanes_rank_in_block(); }
    unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    unsigned num_threads() const { return size(); }
    void sync() const { __syncthreads(); }
    dim3 group_index() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    dim3 thread_index() const { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
};
inline thread_block this_thread_block() { return {}; }
inline void sync(const thread_block &block) { block.sync(); }

template <unsigned Size, typename Parent = void> struct thread_block_tile {
    thread_block_tile() = default;
    template <typename Other> thread_block_tile(const thread_block_tile<Size, Other> &) {}
    unsigned thread_rank() const { return lanes_rank_in_block() % Size; }
    unsigned size() const { return Size; }
    unsigned num_threads() const { return Size; }
    unsigned meta_group_rank() const { return lanes_rank_in_block() / Size; }
    unsigned meta_group_size() const { return (thread_block().size() + Size - 1) / Size; }
    void sync() const { __syncwarp(); }
    template <typename T> T shfl(T value, int from) const { return __shfl(value, from, Size); }
    template <typename T> T shfl_up(T value, unsigned delta) const { return __shfl_up(value, delta, Size); }
    template <typename T> T shfl_down(T value, unsigned delta) const { return __shfl_down(value, delta, Size); }
    template <typename T> T shfl_xor(T value, unsigned mask) const { return __shfl_xor(value, mask, Size); }
    unsigned long long ballot(int predicate) const { return of_tile(__ballot(predicate)); }
    int any(int predicate) const { return ballot(predicate) != 0; }
    int all(int predicate) const { return ballot(!predicate) == 0; }
    template <typename T> unsigned long long match_any(T value) const { return of_tile(__match_any(value)); }

private:
    static unsigned long long of_tile(unsigned long long wavefront)
    {
        return wavefront >> (__lane_id() & ~(Size - 1)) & (~0ull >> (64 - Size));
    }
};
template <unsigned Size, typename Parent> thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}

// The lanes of the wavefront, not of half of it, that are active where the group is made.
class coalesced_group {
public:
    explicit coalesced_group(unsigned long long members) : members_(members) {}
    unsigned size() const { return __popcll(members_); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return __popcll(members_ & __lanemask_lt()); }
    void sync() const {}
    template <typename T> T shfl(T value, int rank) const
    {
        unsigned long long left = members_;
        for (int passed = 0; passed < rank; ++passed)
            left &= left - 1;
        return __shfl(value, __ffsll(left) - 1);
    }

private:
    unsigned long long members_;
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

} // namespace cooperative_groups
