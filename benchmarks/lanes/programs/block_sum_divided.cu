// The sum of a block: warps by `threadIdx.x / 32`, their sums in shared memory, then one warp.
#include "check.h"

__global__ void sums(const int *in, int *out, int n)
{
    __shared__ int partial[8];
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += in[blockIdx.x * n + i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = partial[threadIdx.x];
        for (int offset = 4; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0x000000ff, sum, offset);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

int main()
{
    const int n = 700;
    const std::vector<int> in = numbers(3 * n, 1000);
    std::vector<int> expected(3);
    for (int i = 0; i < 3 * n; ++i)
        expected[i / n] += in[i];
    int *out = zeros<int>(3);
    sums<<<3, 256>>>(to_device(in), out, n);
    return verdict(same(to_host(out, 3), expected));
}
