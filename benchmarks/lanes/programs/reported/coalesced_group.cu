// The lanes that are active as a cooperative group: one of the wavefront, not of the warp.
#include "../check.h"
#include <cooperative_groups.h>

__global__ void ranks(const int *in, int *out)
{
    if (in[threadIdx.x] % 2 == 0) {
        cooperative_groups::coalesced_group active = cooperative_groups::coalesced_threads();
        out[threadIdx.x] = 100 * active.size() + active.thread_rank();
    }
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            if (in[i] % 2 == 0 && in[j] % 2 == 0)
                expected[i] += 100 + (j < i);
    int *out = zeros<int>(n);
    ranks<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
