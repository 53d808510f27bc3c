// CUB's scans of a warp: of 32 threads by default, and of 8.
#include "check.h"
#include <cub/cub.cuh>

__global__ void scans(const int *in, int *out)
{
    using Scan = cub::WarpScan<int>;
    using Scan8 = cub::WarpScan<int, 8>;
    __shared__ Scan::TempStorage storage[3];
    __shared__ Scan8::TempStorage storage8[12];
    int sum, sum8, all;
    Scan(storage[threadIdx.x / 32]).ExclusiveSum(in[threadIdx.x], sum, all);
    Scan8(storage8[threadIdx.x / 8]).InclusiveSum(in[threadIdx.x], sum8);
    out[threadIdx.x] = sum + 3 * sum8 + 5 * all;
}

int main()
{
    const int n = 96;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += 5 * in[j] + (j < i ? in[j] : 0);
        for (int j = i / 8 * 8; j <= i; ++j)
            expected[i] += 3 * in[j];
    }
    int *out = zeros<int>(n);
    scans<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
