// Sums of pairs in half precision.
#include "check.h"
#include <cuda_fp16.h>

__inline__ __device__ half2 sum_of_warp(half2 value)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        value = __hadd2(value, __shfl_xor_sync(0xffffffffu, value, mask, 32));
    return value;
}

__global__ void sums(const float *in, float *out)
{
    const half2 sum = sum_of_warp(__floats2half2_rn(in[2 * threadIdx.x], in[2 * threadIdx.x + 1]));
    out[2 * threadIdx.x] = __half2float(__low2half(sum));
    out[2 * threadIdx.x + 1] = __half2float(__high2half(sum));
}

int main()
{
    const int n = 256;
    const std::vector<float> in = numbers_as<float>(n, 32);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 32; ++j)
            expected[i] += in[i / 64 * 64 + 2 * j + i % 2];
    float *out = zeros<float>(n);
    sums<<<1, n / 2>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
