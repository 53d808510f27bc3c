// Offsets, lanes, and the number of warps come from warpSize; an array of 32 holds the warps' sums.
#include "check.h"

__inline__ __device__ int sum_of_warp(int value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__inline__ __device__ int sum_of_block(int value)
{
    static __shared__ int shared[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = sum_of_warp(value);
    if (lane == 0)
        shared[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    if (warp == 0)
        value = sum_of_warp(value);
    return value;
}

__global__ void sums(const int *in, int *out)
{
    int sum = sum_of_block(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

int main()
{
    bool passed = true;
    for (int threads : {32, 96, 256, 1024}) {
        const std::vector<int> in = numbers(3 * threads, 1000);
        std::vector<int> expected(3);
        for (int i = 0; i < 3 * threads; ++i)
            expected[i / threads] += in[i];
        int *out = zeros<int>(3);
        sums<<<3, threads>>>(to_device(in), out);
        passed = passed && same(to_host(out, 3), expected);
    }
    return verdict(passed);
}
