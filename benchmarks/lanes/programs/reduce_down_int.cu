// Sums per warp with __shfl_down_sync, and one atomic per warp.
#include "check.h"

__global__ void total(const int *in, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(sum, value);
}

int main()
{
    const int n = 1000;
    const std::vector<int> in = numbers(n, 100);
    int expected = 0;
    for (int value : in)
        expected += value;
    int *sum = zeros<int>(1);
    total<<<4, 256>>>(to_device(in), sum, n);
    return verdict(to_host(sum, 1)[0] == expected);
}
