// Functions take the mask from their callers.
#include "check.h"

__device__ int sum_of(unsigned mask, int value, int lanes)
{
    for (int offset = lanes / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(mask, value, offset, lanes);
    return value;
}

__device__ bool all_equal(unsigned mask, int value)
{
    const int first = __shfl_sync(mask, value, __ffs(mask) - 1);
    return __all_sync(mask, value == first);
}

__global__ void check(const int *in, int *out)
{
    const unsigned lane = threadIdx.x % 32, mask = lane < 8 ? 0xffu : 0xffffff00u;
    const int equal = all_equal(mask, in[threadIdx.x]);
    int sum = 0;
    if (lane < 8)
        sum = sum_of(mask, in[threadIdx.x], 8);
    sum = __shfl_sync(0xffffffff, sum, 0);
    out[threadIdx.x] = 10 * sum + equal;
}

int main()
{
    std::vector<int> in = numbers(128, 100), expected(128);
    for (int i = 40; i < 64; ++i)
        in[i] = 7;
    for (int i = 96; i < 104; ++i)
        in[i] = 3;
    for (int i = 0; i < 128; ++i) {
        int sum = 0;
        for (int j = 0; j < 8; ++j)
            sum += in[i / 32 * 32 + j];
        expected[i] = 10 * sum + ((i >= 40 && i < 64) || (i >= 96 && i < 104));
    }
    int *out = zeros<int>(128);
    check<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 128), expected));
}
