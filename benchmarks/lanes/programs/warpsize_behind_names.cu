// warpSize through a constant, a macro, and a function.
#include "check.h"

#define THREADS_PER_WARP warpSize

__device__ inline int lanes() { return warpSize; }

__global__ void sums(const int *in, int *out)
{
    const int size = warpSize, lane = threadIdx.x & (size - 1), warp = threadIdx.x / THREADS_PER_WARP;
    int value = in[warp * lanes() + lane];
    for (int offset = size / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset, THREADS_PER_WARP);
    if (lane == 0)
        out[warp] = value + 31 - __clz(lanes());
}

int main()
{
    const std::vector<int> in = numbers(128, 100);
    std::vector<int> expected(4, 5);
    for (int i = 0; i < 128; ++i)
        expected[i / 32] += in[i];
    int *out = zeros<int>(4);
    sums<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
