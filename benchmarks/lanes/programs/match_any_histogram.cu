// A histogram with one atomic per distinct value in a warp.
#include "check.h"

__global__ void histogram(const int *in, int *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned peers = __match_any_sync(__activemask(), in[i]);
        if ((threadIdx.x & 31) == __ffs(peers) - 1)
            atomicAdd(&bins[in[i]], __popc(peers));
    }
}

int main()
{
    const int n = 1003, size = 10;
    const std::vector<int> in = numbers(n, size);
    std::vector<int> expected(size);
    for (int value : in)
        ++expected[value];
    int *bins = zeros<int>(size);
    histogram<<<2, 96>>>(to_device(in), bins, n);
    return verdict(same(to_host(bins, size), expected));
}
