// Lanes exchange through shared memory between two __syncwarp().
#include "check.h"

__global__ void reverse(const int *in, int *out)
{
    __shared__ int buffer[4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 3; ++round) {
        buffer[warp][lane] = in[round * 128 + threadIdx.x];
        __syncwarp();
        out[round * 128 + threadIdx.x] = buffer[warp][31 - lane];
        __syncwarp(0xffffffff);
    }
}

int main()
{
    const std::vector<int> in = numbers(384, 1000);
    std::vector<int> expected(384);
    for (int i = 0; i < 384; ++i)
        expected[i] = in[i / 32 * 32 + 31 - i % 32];
    int *out = zeros<int>(384);
    reverse<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 384), expected));
}
