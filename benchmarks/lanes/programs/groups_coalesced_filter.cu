// Active lanes as a group: an aggregated counter, a broadcast from the leader, and a sum by the group's ranks.
#include "check.h"
#include <cooperative_groups.h>
using namespace cooperative_groups;

__device__ int atomicAggInc(int *ptr)
{
    coalesced_group g = coalesced_threads();
    int prev;
    if (g.thread_rank() == 0)
        prev = atomicAdd(ptr, g.size());
    prev = g.thread_rank() + g.shfl(prev, 0);
    return prev;
}

__global__ void filter_arr(int *dst, int *nres, const int *src, int n)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        if (src[i] > 50)
            dst[atomicAggInc(nres)] = src[i];
}

int main()
{
    const int n = 1000;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected;
    for (int each : in)
        if (each > 50)
            expected.push_back(each);
    int *dst = zeros<int>(n), *nres = zeros<int>(1);
    filter_arr<<<2, 160>>>(dst, nres, to_device(in), n);
    std::vector<int> found = to_host(dst, expected.size());
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    return verdict(same(to_host(nres, 1), {int(expected.size())}) && same(found, expected));
}
