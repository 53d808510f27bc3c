// Masks come from a table in constant memory.
#include "check.h"

__constant__ unsigned masks[4] = {0x000000ff, 0x0000ff00, 0x00ff0000, 0xff000000};

__global__ void octets(const int *in, int *out)
{
    const int lane = threadIdx.x % 32, group = lane / 8;
    int value = in[threadIdx.x];
    for (int lanes = 4; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(masks[group], value, lanes);
    out[threadIdx.x] = value * 100 + __popc(__ballot_sync(masks[group], in[threadIdx.x] % 2));
}

int main()
{
    const std::vector<int> in = numbers(192, 100);
    std::vector<int> expected(192);
    for (int i = 0; i < 192; ++i)
        for (int j = i / 8 * 8; j < i / 8 * 8 + 8; ++j)
            expected[i] += in[j] * 100 + in[j] % 2;
    int *out = zeros<int>(192);
    octets<<<1, 192>>>(to_device(in), out);
    return verdict(same(to_host(out, 192), expected));
}
