// Blocks of 8 by 16: warp and lane come from the linear index of the thread.
#include "check.h"

__global__ void sums(const int *in, int *out)
{
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread & 31, warp = thread / 32;
    int value = in[blockIdx.x * 128 + thread];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    const unsigned large = __ballot_sync(0xffffffff, in[blockIdx.x * 128 + thread] > 80);
    if (lane == 0)
        out[blockIdx.x * 4 + warp] = value * 100 + __popc(large);
}

int main()
{
    const int n = 384;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n / 32);
    for (int i = 0; i < n; ++i)
        expected[i / 32] += in[i] * 100 + (in[i] > 80);
    int *out = zeros<int>(n / 32);
    sums<<<3, dim3(8, 16)>>>(to_device(in), out);
    return verdict(same(to_host(out, n / 32), expected));
}
