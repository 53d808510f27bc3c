// Peers with the same digit are found by a ballot for each bit; one lane of each adds to a counter of its warp.
#include "check.h"

#define LANE_ID (threadIdx.x & 0x1f)
#define WARP_ID (threadIdx.x >> 5)
template <int BITS> __device__ __forceinline__ unsigned match_digit(unsigned digit)
{
    unsigned peers = 0xffffffffu;
#pragma unroll
    for (int b = 0; b < BITS; ++b) {
        const unsigned bit = digit >> b & 1u;
        const unsigned votes = __ballot_sync(0xffffffffu, bit);
        peers &= bit ? votes : ~votes;
    }
    return peers;
}

__global__ void histogram_ranks(const int *in, int *ranks, int *counts, int per_warp)
{
    __shared__ int counters[5][16];
    for (int i = threadIdx.x; i < 5 * 16; i += blockDim.x)
        (&counters[0][0])[i] = 0;
    __syncthreads();
    const int base = WARP_ID * per_warp;
    for (int i = LANE_ID; i < per_warp; i += 32) {
        const unsigned digit = in[base + i];
        const unsigned peers = match_digit<4>(digit);
        const int leader = 31 - __clz(peers), in_front = __popc(peers & ((1u << LANE_ID) - 1));
        int start = 0;
        if (LANE_ID == leader)
            start = atomicAdd(&counters[WARP_ID][digit], __popc(peers));
        start = __shfl_sync(0xffffffffu, start, leader);
        ranks[base + i] = start + in_front;
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        int all = 0;
        for (int w = 0; w < 5; ++w)
            all += counters[w][threadIdx.x];
        counts[threadIdx.x] = all;
    }
}

int main()
{
    const int per_warp = 96, n = 5 * per_warp;
    const std::vector<int> in = numbers(n, 16);
    std::vector<int> ranks(n), counts(16);
    for (int w = 0; w < 5; ++w) {
        int seen[16] = {};
        for (int i = 0; i < per_warp; ++i)
            ranks[w * per_warp + i] = seen[in[w * per_warp + i]]++, ++counts[in[w * per_warp + i]];
    }
    int *found = zeros<int>(n), *found_counts = zeros<int>(16);
    histogram_ranks<<<1, 160>>>(to_device(in), found, found_counts, per_warp);
    return verdict(same(to_host(found, n), ranks) && same(to_host(found_counts, 16), counts));
}
