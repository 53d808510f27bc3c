// One branch for GPUs that reduce with one instruction, and one for the others.
#include "check.h"

__device__ int sum_of_warp(int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffff, value);
#else
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(0xffffffff, value, lanes);
    return value;
#endif
}

__global__ void sums(const int *in, int *out)
{
    out[threadIdx.x] = sum_of_warp(in[threadIdx.x]);
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += in[j];
    int *out = zeros<int>(n);
    sums<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
