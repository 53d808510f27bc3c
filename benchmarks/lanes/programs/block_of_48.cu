// One and a half warps: the mask of the second has 16 lanes.
#include "check.h"

__global__ void sums(const int *in, int *out)
{
    int value = in[threadIdx.x];
    unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 0xffffu;
    for (int offset = 8; offset > 0; offset >>= 1)
        value += __shfl_down_sync(mask, value, offset, 16);
    if (threadIdx.x % 16 == 0)
        out[threadIdx.x / 16] = value;
}

int main()
{
    const std::vector<int> in = numbers(48, 100);
    std::vector<int> expected(3);
    for (int i = 0; i < 48; ++i)
        expected[i / 16] += in[i];
    int *out = zeros<int>(3);
    sums<<<1, 48>>>(to_device(in), out);
    return verdict(same(to_host(out, 3), expected));
}
