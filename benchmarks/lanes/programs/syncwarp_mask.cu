// Half of a warp synchronizes on its own.
#include "check.h"

__global__ void tree(const int *in, int *out)
{
    __shared__ int sums[128];
    int lane = threadIdx.x & 31, base = threadIdx.x & ~31;
    sums[threadIdx.x] = in[threadIdx.x];
    __syncwarp(0xffffffffu);
    if (lane < 16) {
        const unsigned mask = 0xffffu;
        for (int s = 16; s > 0; s >>= 1) {
            int other = sums[threadIdx.x + s];
            __syncwarp(mask);
            if (lane < s)
                sums[threadIdx.x] += other;
            __syncwarp(mask);
        }
    }
    if (lane == 0)
        out[threadIdx.x / 32] = sums[base];
}

int main()
{
    const std::vector<int> in = numbers(128, 1000);
    std::vector<int> expected(4);
    for (int i = 0; i < 128; ++i)
        expected[i / 32] += in[i];
    int *out = zeros<int>(4);
    tree<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
