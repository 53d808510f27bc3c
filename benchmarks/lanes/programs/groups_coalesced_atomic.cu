// Cooperative groups: one atomic for all active threads, whatever the size of their group.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int next_place(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int base;
    if (active.thread_rank() == 0)
        base = atomicAdd(counter, active.size());
    return active.shfl(base, 0) + active.thread_rank();
}

__global__ void filter(const int *in, int *out, int *counter)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        out[next_place(counter)] = i;
}

int main()
{
    const int n = 384;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected, found;
    for (int i = 0; i < n; ++i)
        if (in[i] % 3 == 0)
            expected.push_back(i);
    int *out = zeros<int>(n), *counter = zeros<int>(1);
    filter<<<2, 192>>>(to_device(in), out, counter);
    const int count = to_host(counter, 1)[0];
    found = to_host(out, expected.size());
    std::sort(found.begin(), found.end());
    return verdict(count == int(expected.size()) && same(found, expected));
}
