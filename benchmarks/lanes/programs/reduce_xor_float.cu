// Every lane gets the sum of its warp with __shfl_xor_sync.
#include "check.h"

__global__ void sums(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    for (int lanes = 1; lanes < 32; lanes <<= 1)
        value += __shfl_xor_sync(0xffffffffu, value, lanes, 32);
    out[i] = value;
}

int main()
{
    const int n = 256;
    const std::vector<float> in = numbers_as<float>(n, 50);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i)
        for (int lane = 0; lane < 32; ++lane)
            expected[i] += in[i / 32 * 32 + lane];
    float *out = zeros<float>(n);
    sums<<<2, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
