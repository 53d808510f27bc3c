// Sums in half precision.
#include "check.h"
#include <cuda_fp16.h>

__global__ void sums(const float *in, float *out)
{
    __half value = __float2half(in[threadIdx.x]);
    for (int offset = 16; offset > 0; offset >>= 1)
        value = __hadd(value, __shfl_down_sync(0xffffffff, value, offset));
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = __half2float(value);
}

int main()
{
    const std::vector<float> in = numbers_as<float>(128, 32);
    std::vector<float> expected(4);
    for (int i = 0; i < 128; ++i)
        expected[i / 32] += in[i];
    float *out = zeros<float>(4);
    sums<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
