// Kernels with C linkage, and conditional includes.
#if defined(SOMETHING_ELSE)
#include "something_else.h"
#else
#include "check.h"
#endif

extern "C" {

__device__ int sum_of_warp(int value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffff, value, offset);
    return value;
}

__global__ void sums(const int *in, int *out) { out[threadIdx.x] = sum_of_warp(in[threadIdx.x]); }

} // extern "C"

int main()
{
    const int n = 96;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += in[j];
    int *out = zeros<int>(n);
    sums<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
