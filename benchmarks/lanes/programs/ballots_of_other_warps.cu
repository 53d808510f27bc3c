// Ballots of all warps in a shared array: each thread looks at the flags of other warps.
#include "check.h"

constexpr unsigned FULL_MASK = 0xffffffff;
struct WarpTraits {
    enum { LOG_WARP_THREADS = 5, WARP_THREADS = 1 << LOG_WARP_THREADS };
};

template <int BLOCK_THREADS> __global__ void radix_rank(const int *in, int *out, int *totals, int bit)
{
    enum { WARPS = (BLOCK_THREADS + WarpTraits::WARP_THREADS - 1) / WarpTraits::WARP_THREADS };
    __shared__ unsigned votes[WARPS];
    __shared__ int offsets[WARPS + 1];
    const int warp = threadIdx.x >> WarpTraits::LOG_WARP_THREADS;
    const int lane = threadIdx.x & (WarpTraits::WARP_THREADS - 1);
    const int key = in[blockIdx.x * BLOCK_THREADS + threadIdx.x];
    const bool set = key >> bit & 1;
    const unsigned vote = __ballot_sync(FULL_MASK, set);
    if (lane == 0)
        votes[warp] = vote;
    __syncthreads();
    if (threadIdx.x == 0) {
        int zeros = 0;
        for (int w = 0; w < WARPS; ++w) {
            offsets[w] = zeros;
            zeros += WarpTraits::WARP_THREADS - __popc(votes[w]);
        }
        offsets[WARPS] = zeros;
        totals[blockIdx.x] = zeros;
    }
    __syncthreads();
    const unsigned before = (1u << lane) - 1;
    const int zeros_before = offsets[warp] + __popc(~votes[warp] & before);
    const int ones_before = int(threadIdx.x) - zeros_before;
    const int place = set ? offsets[WARPS] + ones_before : zeros_before;
    out[blockIdx.x * BLOCK_THREADS + place] = key;
}

int main()
{
    const int threads = 160, blocks = 3, n = threads * blocks, bit = 2;
    const std::vector<int> in = numbers(n, 64);
    std::vector<int> expected = in;
    for (int b = 0; b < blocks; ++b)
        std::stable_partition(expected.begin() + b * threads, expected.begin() + (b + 1) * threads,
                              [](int key) { return !(key >> bit & 1); });
    int *out = zeros<int>(n);
    radix_rank<threads><<<blocks, threads>>>(to_device(in), out, zeros<int>(blocks), bit);
    return verdict(same(to_host(out, n), expected));
}
