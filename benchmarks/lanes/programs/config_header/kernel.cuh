#pragma once
#include "config.h"

__global__ void compact(const int *in, int *out, int *count, int n)
{
    __shared__ int found[WARPS_PER_BLOCK], base;
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x - warp * WARP_SIZE;
    const unsigned kept = __ballot_sync(~0, i < n && in[i] % 2 == 0);
    if (lane == 0)
        found[warp] = __popc(kept);
    __syncthreads();
    if (threadIdx.x == 0) {
        int all = 0;
        for (int other = 0; other < WARPS_PER_BLOCK; ++other)
            all += found[other];
        base = atomicAdd(count, all);
    }
    __syncthreads();
    int at = base;
    for (int other = 0; other < warp; ++other)
        at += found[other];
    if (kept >> lane & 1)
        out[at + __popc(kept << (WARP_SIZE - 1 - lane) << 1)] = in[i];
}
