// The host queries the attribute; each block is one warp and takes 32 numbers.
#include "check.h"

__global__ void sums(const int *in, int *out)
{
    int value = in[blockIdx.x * 32 + threadIdx.x];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(0xffffffff, value, lanes);
    out[blockIdx.x * 32 + threadIdx.x] = value;
}

int main()
{
    int size = 0;
    must(cudaDeviceGetAttribute(&size, cudaDevAttrWarpSize, 0));
    const int n = 320;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 32; ++j)
            expected[i] += in[i / 32 * 32 + j];
    int *out = zeros<int>(n);
    sums<<<n / size, size>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
