// A grid-stride loop by warps: each warp takes every n-th row.
#include "check.h"

#define WARP_SIZE 32
#define WARPS(threads) ((threads) / WARP_SIZE)

__global__ void sums(const int *in, int *out, int rows)
{
    const int lane = threadIdx.x % WARP_SIZE, step = gridDim.x * WARPS(blockDim.x);
    for (int row = blockIdx.x * WARPS(blockDim.x) + threadIdx.x / WARP_SIZE; row < rows; row += step) {
        int value = in[row * WARP_SIZE + lane];
        #pragma unroll
        for (int lanes = WARP_SIZE / 2; lanes >= 1; lanes /= 2)
            value += __shfl_xor_sync(0xffffffff, value, lanes, WARP_SIZE);
        if (lane == 0)
            out[row] = value;
    }
}

int main()
{
    const int rows = 29;
    const std::vector<int> in = numbers(rows * WARP_SIZE, 1000);
    std::vector<int> expected(rows);
    for (int i = 0; i < rows * WARP_SIZE; ++i)
        expected[i / WARP_SIZE] += in[i];
    int *out = zeros<int>(rows);
    sums<<<3, 3 * WARP_SIZE>>>(to_device(in), out, rows);
    return verdict(same(to_host(out, rows), expected));
}
