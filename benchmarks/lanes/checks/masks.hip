// HIP asserts that the mask of a *_sync function is the set of active lanes: five traps at 32 lanes,
// six at 64.
#include "check.h"

__global__ void full(int *out)
{
    out[threadIdx.x] = __shfl_xor_sync(~0ull, int(threadIdx.x), 1); // cut to 32 lanes: holds on both
    __syncwarp(below(warpSize));
    if (threadIdx.x < 16)
        __ballot_sync(0xffffull, 1); // exact: holds
}

__global__ void all_ones()
{
    __syncwarp(~0ull); // not cut: a trap on 32 lanes
}

__global__ void part()
{
    __ballot_sync(~0ull, 1);         // 16 of the lanes: a trap
    __all_sync(0xffffffffull, 1);    // the same
    __match_any_sync(0xffffull, 1);  // exact
    __any_sync(threadIdx.x < 8 ? 0xffull : 0xff00ull, 1); // two masks, both exact
    __any_sync(threadIdx.x < 8 ? 0xffull : 0xf00ull, 1);  // one of the two is not
    __syncwarp(0xffffffffull);                            // a trap
}

__global__ void one_warp_of_cudas()
{
    __ballot_sync(0xffffffffull, 1); // of 64 lanes the half: a trap
    __syncwarp(0xffffffffull);
    __any_sync(~0ull, 1);
}

int main()
{
    int *out = device<int>(64);
    hipLaunchKernelGGL(full, dim3(1), dim3(warpSize), 0, 0, out);
    hipLaunchKernelGGL(all_ones, dim3(1), dim3(warpSize), 0, 0);
    hipLaunchKernelGGL(part, dim3(1), dim3(16), 0, 0);
    hipLaunchKernelGGL(one_warp_of_cudas, dim3(1), dim3(warpSize), 0, 0);
    expect(out[0] == 1, "a shuffle");
    return verdict();
}
