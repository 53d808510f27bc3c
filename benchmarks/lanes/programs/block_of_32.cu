// Blocks of one warp, with the full mask.
#include "check.h"

__global__ void sums(const int *in, int *out)
{
    int value = in[blockIdx.x * 32 + threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1)
        value += __shfl_xor_sync(0xffffffff, value, offset);
    unsigned odd = __ballot_sync(0xffffffff, in[blockIdx.x * 32 + threadIdx.x] & 1);
    if (threadIdx.x == 0)
        out[blockIdx.x] = value + __popc(odd) * 10000;
}

int main()
{
    const std::vector<int> in = numbers(320, 100);
    std::vector<int> expected(10);
    for (int i = 0; i < 320; ++i)
        expected[i / 32] += in[i] + (in[i] & 1) * 10000;
    int *out = zeros<int>(10);
    sums<<<10, 32>>>(to_device(in), out);
    return verdict(same(to_host(out, 10), expected));
}
