// A lock that warps try for, again and again, and release in the iteration in which they got it.
#include "check.h"

__global__ void accumulate(int *locks, int *sums, const int *keys, int pieces)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= pieces)
        return;
    const int key = keys[warp];
    bool done = false;
    while (!done) {
        int got = 0;
        if (lane == 0)
            got = atomicCAS(&locks[key], 0, 1) == 0;
        got = __shfl_sync(0xffffffff, got, 0);
        if (got) {
            sums[key * 32 + lane] += lane + 1;
            __threadfence();
            __syncwarp();
            if (lane == 0)
                atomicExch(&locks[key], 0);
            done = true;
        }
    }
}

int main()
{
    const int pieces = 40, keys = 3;
    const std::vector<int> in = numbers(pieces, keys);
    std::vector<int> expected(keys * 32);
    for (int key : in)
        for (int lane = 0; lane < 32; ++lane)
            expected[key * 32 + lane] += lane + 1;
    int *sums = zeros<int>(keys * 32);
    accumulate<<<3, 512>>>(zeros<int>(keys), sums, to_device(in), pieces);
    return verdict(same(to_host(sums, keys * 32), expected));
}
