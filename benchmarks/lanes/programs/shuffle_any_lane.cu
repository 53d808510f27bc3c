// A permutation within the warp: every lane reads from another, also with lane numbers above 31.
#include "check.h"

__global__ void permute(const int *in, const int *from, int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffffff, in[threadIdx.x], from[threadIdx.x]);
}

int main()
{
    const int n = 192;
    const std::vector<int> in = numbers(n, 1000), from = numbers(n, 128);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = in[i / 32 * 32 + from[i] % 32];
    int *out = zeros<int>(n);
    permute<<<1, n>>>(to_device(in), to_device(from), out);
    return verdict(same(to_host(out, n), expected));
}
