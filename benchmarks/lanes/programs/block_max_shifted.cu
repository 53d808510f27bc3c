// The maximum of a block: warps by `>> 5`; every thread gets the result.
#include "check.h"

__device__ float largest_of_block(float value)
{
    __shared__ float of_warp[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, lanes));
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    value = lane < warps ? of_warp[lane] : -1e30f;
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, lanes));
    return value;
}

__global__ void subtract_largest(float *values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] -= largest_of_block(values[i]);
}

int main()
{
    const int threads = 224, n = 3 * threads;
    const std::vector<float> in = numbers_as<float>(n, 100000);
    std::vector<float> expected(in);
    for (int block = 0; block < 3; ++block) {
        const float largest = *std::max_element(in.begin() + block * threads, in.begin() + (block + 1) * threads);
        for (int i = 0; i < threads; ++i)
            expected[block * threads + i] -= largest;
    }
    float *values = to_device(in);
    subtract_largest<<<3, threads>>>(values);
    return verdict(same(to_host(values, n), expected));
}
