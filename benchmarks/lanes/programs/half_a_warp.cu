// `if (lane < 16)`, with the mask of these lanes.
#include "check.h"

__global__ void halves(const int *in, int *out)
{
    int lane = threadIdx.x & 31, value = in[threadIdx.x];
    if (lane < 16) {
        for (int offset = 8; offset > 0; offset >>= 1)
            value += __shfl_down_sync(0x0000ffff, value, offset);
        int negative = __any_sync(0x0000ffff, in[threadIdx.x] < 0);
        if (lane == 0)
            out[threadIdx.x / 32] = value + negative;
    }
}

int main()
{
    const std::vector<int> in = numbers(128, 100);
    std::vector<int> expected(4);
    for (int i = 0; i < 128; ++i)
        expected[i / 32] += i % 32 < 16 ? in[i] : 0;
    int *out = zeros<int>(4);
    halves<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
