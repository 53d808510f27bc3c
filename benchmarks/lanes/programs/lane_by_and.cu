// Warps 0 and 1 of a block do different work, selected by `threadIdx.x & 32`.
#include "check.h"

__global__ void parts(const int *in, int *out)
{
    const int lane = threadIdx.x & 31;
    int value = in[blockIdx.x * 32 + lane];
    if (threadIdx.x & 32) {
        for (int lanes = 16; lanes > 0; lanes /= 2)
            value = max(value, __shfl_xor_sync(0xffffffff, value, lanes));
        if (lane == 0)
            out[2 * blockIdx.x + 1] = value;
    } else {
        for (int lanes = 16; lanes > 0; lanes /= 2)
            value += __shfl_xor_sync(0xffffffff, value, lanes);
        if (lane == 0)
            out[2 * blockIdx.x] = value;
    }
}

int main()
{
    const int blocks = 6;
    const std::vector<int> in = numbers(blocks * 32, 1000);
    std::vector<int> expected(2 * blocks);
    for (int i = 0; i < blocks * 32; ++i) {
        expected[i / 32 * 2] += in[i];
        expected[i / 32 * 2 + 1] = std::max(expected[i / 32 * 2 + 1], in[i]);
    }
    int *out = zeros<int>(2 * blocks);
    parts<<<blocks, 64>>>(to_device(in), out);
    return verdict(same(to_host(out, 2 * blocks), expected));
}
