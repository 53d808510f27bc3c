// One atomic for all active lanes of a warp, with a place for each.
#include "check.h"

__device__ int next_place(int *counter)
{
    unsigned active = __activemask();
    int lane = threadIdx.x & 31, leader = __ffs(active) - 1, base;
    if (lane == leader)
        base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void filter(const int *in, int *out, int *counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 30)
        out[next_place(counter)] = i;
}

int main()
{
    const int n = 900;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected, found;
    for (int i = 0; i < n; ++i)
        if (in[i] > 30)
            expected.push_back(i);
    int *out = zeros<int>(n), *counter = zeros<int>(1);
    filter<<<4, 256>>>(to_device(in), out, counter, n);
    const int count = to_host(counter, 1)[0];
    found = to_host(out, expected.size());
    std::sort(found.begin(), found.end());
    return verdict(count == int(expected.size()) && same(found, expected));
}
