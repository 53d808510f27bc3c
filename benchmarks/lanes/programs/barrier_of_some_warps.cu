// A barrier of some warps of a block, written with a counter in shared memory.
#include "check.h"

__device__ __forceinline__ void sync_warps(int *count, int warps, int phase)
{
    __syncwarp();
    if ((threadIdx.x & 31) == 0) {
        __threadfence_block();
        atomicAdd(count, 1);
        while (*((volatile int *)count) < warps * phase)
            ;
    }
    __syncwarp();
}

__global__ void stages(const int *in, int *out, int steps)
{
    __shared__ int count, values[64];
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x < 64) {
        int value = in[threadIdx.x];
        for (int step = 0; step < steps; ++step) {
            values[threadIdx.x] = value;
            sync_warps(&count, 2, 2 * step + 1);
            value += values[63 - threadIdx.x];
            sync_warps(&count, 2, 2 * step + 2);
        }
        out[threadIdx.x] = value;
    }
}

int main()
{
    const int steps = 3;
    const std::vector<int> in = numbers(64, 100);
    std::vector<int> expected = in;
    for (int step = 0; step < steps; ++step) {
        const std::vector<int> old = expected;
        for (int i = 0; i < 64; ++i)
            expected[i] += old[63 - i];
    }
    int *out = zeros<int>(64);
    stages<<<1, 128>>>(to_device(in), out, steps);
    return verdict(same(to_host(out, 64), expected));
}
