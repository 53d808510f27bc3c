// Two branches, one with the mask 0xffff and one with 0xffff0000.
#include "check.h"

__global__ void halves(const int *in, int *out)
{
    const unsigned lane = threadIdx.x & 31u;
    int value = in[threadIdx.x];
    if (lane < 16) {
        for (int lanes = 8; lanes > 0; lanes >>= 1)
            value = max(value, __shfl_xor_sync(0xffffu, value, lanes));
    } else {
        for (int lanes = 8; lanes > 0; lanes >>= 1)
            value = min(value, __shfl_xor_sync(0xffff0000u, value, lanes));
    }
    const unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
    const int count = __popc(__ballot_sync(mask, in[threadIdx.x] == value));
    out[threadIdx.x] = value * 100 + count;
}

int main()
{
    const std::vector<int> in = numbers(192, 20);
    std::vector<int> expected(192);
    for (int start = 0; start < 192; start += 16) {
        int value = in[start], count = 0;
        for (int i = start; i < start + 16; ++i)
            value = start % 32 == 0 ? std::max(value, in[i]) : std::min(value, in[i]);
        for (int i = start; i < start + 16; ++i)
            count += in[i] == value;
        for (int i = start; i < start + 16; ++i)
            expected[i] = value * 100 + count;
    }
    int *out = zeros<int>(192);
    halves<<<1, 192>>>(to_device(in), out);
    return verdict(same(to_host(out, 192), expected));
}
