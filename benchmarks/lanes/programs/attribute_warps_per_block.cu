// The attribute gives the number of warps in a block, and so the grid; the kernel uses warpSize.
#include "check.h"

static int warp_size()
{
    int device, value;
    must(cudaGetDevice(&device));
    must(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device));
    return value;
}

__global__ void counts(const int *in, int *out, int n)
{
    const int warp = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned odd = __ballot_sync(0xffffffff, i < n && (in[i] & 1));
    if (threadIdx.x % warpSize == 0)
        out[warp] = __popc(odd);
}

int main()
{
    const int n = 333, threads = 128, warps = threads / warp_size(), blocks = (n + threads - 1) / threads;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(blocks * warps);
    for (int i = 0; i < n; ++i)
        expected[i / 32] += in[i] & 1;
    int *out = zeros<int>(blocks * warps);
    counts<<<blocks, threads>>>(to_device(in), out, n);
    return verdict(expected.size() == 12 && same(to_host(out, expected.size()), expected));
}
