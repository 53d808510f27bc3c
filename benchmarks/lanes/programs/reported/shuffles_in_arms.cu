// Shuffles in both arms of a conditional operator, which lanes of a warp take apart.
#include "../check.h"

__global__ void arms(const int *in, int *out)
{
    const int lane = threadIdx.x & 31;
    const int value = in[threadIdx.x];
    out[threadIdx.x] = lane < 16 ? __shfl_sync(0xffffffff, value, lane + 16) : __shfl_sync(0xffffffff, value, lane - 16);
}

int main()
{
    const int n = 64;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = in[i ^ 16];
    int *out = zeros<int>(n);
    arms<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
