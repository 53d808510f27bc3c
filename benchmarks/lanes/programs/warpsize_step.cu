// `blockDim.x / warpSize` is the step of a loop, in blocks of 32.
#include "check.h"

__global__ void rows(const int *in, int *out, int n)
{
    int warps = blockDim.x / warpSize, lane = threadIdx.x % warpSize;
    for (int row = threadIdx.x / warpSize; row < n; row += warps) {
        int value = in[(blockIdx.x * n + row) * 32 + lane];
        for (int offset = warpSize >> 1; offset > 0; offset >>= 1)
            value = max(value, __shfl_xor_sync(0xffffffff, value, offset));
        if (lane == 0)
            out[blockIdx.x * n + row] = value;
    }
}

int main()
{
    const int n = 5, blocks = 3;
    const std::vector<int> in = numbers(n * blocks * 32, 1000);
    std::vector<int> expected(n * blocks);
    for (int i = 0; i < n * blocks * 32; ++i)
        expected[i / 32] = std::max(expected[i / 32], in[i]);
    int *out = zeros<int>(n * blocks);
    rows<<<blocks, 32>>>(to_device(in), out, n);
    return verdict(same(to_host(out, n * blocks), expected));
}
