// A shared array of 32 numbers per factor, traversed in steps of warpSize.
#include "check.h"

constexpr int F = 3;

__global__ void widen(const int *in, int *out)
{
    __shared__ int sh[32 * F];
    int lane = threadIdx.x % warpSize, row = threadIdx.x / warpSize;
    for (int f = row; f < F; f += blockDim.x / warpSize)
        sh[f * warpSize + lane] = in[blockIdx.x * 32 * F + f * 32 + lane];
    __syncthreads();
    int sum = 0;
    for (int f = 0; f < F; ++f)
        sum += sh[f * warpSize + (lane + f) % warpSize] * (f + 1);
    if (row == 0)
        out[blockIdx.x * 32 + lane] = sum;
}

int main()
{
    const int blocks = 4;
    const std::vector<int> in = numbers(blocks * 32 * F, 1000);
    std::vector<int> expected(blocks * 32);
    for (int i = 0; i < blocks * 32; ++i)
        for (int f = 0; f < F; ++f)
            expected[i] += in[i / 32 * 32 * F + f * 32 + (i % 32 + f) % 32] * (f + 1);
    int *out = zeros<int>(blocks * 32);
    widen<<<blocks, 64>>>(to_device(in), out);
    return verdict(same(to_host(out, blocks * 32), expected));
}
