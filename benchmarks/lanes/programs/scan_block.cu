// Prefix sums of a block: first within warps, then over the warps' sums.
#include "check.h"

#define FULL_MASK 0xffffffff

__device__ int scan_warp(int value, int lane)
{
    for (int delta = 1; delta < 32; delta *= 2) {
        int before = __shfl_up_sync(FULL_MASK, value, delta);
        value += lane >= delta ? before : 0;
    }
    return value;
}

__global__ void scan_block(const int *in, int *out)
{
    __shared__ int sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int value = scan_warp(in[blockIdx.x * blockDim.x + threadIdx.x], lane);
    if (lane == 31)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int of_warp = lane < blockDim.x / 32 ? sums[lane] : 0;
        sums[lane] = scan_warp(of_warp, lane);
    }
    __syncthreads();
    if (warp > 0)
        value += sums[warp - 1];
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main()
{
    const int n = 1536, threads = 512;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = in[i] + (i % threads ? expected[i - 1] : 0);
    int *out = zeros<int>(n);
    scan_block<<<n / threads, threads>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
