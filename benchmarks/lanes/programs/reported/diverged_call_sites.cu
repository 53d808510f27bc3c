// Lanes of one mask meet from two places in the code: allowed since Volta, one after the other on AMD.
#include "../check.h"

__global__ void exchange(const int *in, int *out)
{
    int value = in[threadIdx.x], other;
    if (threadIdx.x % 2 == 0)
        other = __shfl_xor_sync(0xffffffff, value, 1);
    else
        other = __shfl_xor_sync(0xffffffff, 2 * value, 1);
    out[threadIdx.x] = other;
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = in[i ^ 1] * (i % 2 ? 1 : 2);
    int *out = zeros<int>(n);
    exchange<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
