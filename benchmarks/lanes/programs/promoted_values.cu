// Shuffled bytes, shorts and bools are of type int in CUDA: `auto` keeps what does not fit them.
#include "check.h"

__global__ void pairs(const unsigned char *in, int *out)
{
    auto left = __shfl_up_sync(0xffffffff, in[threadIdx.x], 1);
    left += in[threadIdx.x];
    auto flags = __shfl_xor_sync(0xffffffff, in[threadIdx.x] > 100, 1);
    flags += __shfl_xor_sync(0xffffffff, in[threadIdx.x] > 50, 2);
    out[threadIdx.x] = 1000 * flags + left;
}

int main()
{
    const int n = 64;
    const std::vector<unsigned char> in = numbers_as<unsigned char>(n, 256);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = 1000 * ((in[i ^ 1] > 100) + (in[i ^ 2] > 50)) + in[i] + in[i % 32 ? i - 1 : i];
    int *out = zeros<int>(n);
    pairs<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
