// Stream compaction; macros compute the warp size.
#include "check.h"

#define LOG_WARP 5
#define WARP (1 << LOG_WARP)
#define WARP_MASK (WARP - 1)
#define FULL (~0u)

__global__ void partition(const int *in, int *out)
{
    const int lane = threadIdx.x & WARP_MASK, base = threadIdx.x >> LOG_WARP << LOG_WARP;
    const unsigned below = (1u << lane) - 1, small = __ballot_sync(FULL, in[threadIdx.x] < 50);
    const int place = in[threadIdx.x] < 50 ? __popc(small & below) : __popc(small) + __popc(~small & below);
    out[base + place] = in[threadIdx.x];
}

int main()
{
    const int n = 4 * WARP;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected;
    for (int base = 0; base < n; base += WARP) {
        for (int i = base; i < base + WARP; ++i)
            if (in[i] < 50)
                expected.push_back(in[i]);
        for (int i = base; i < base + WARP; ++i)
            if (in[i] >= 50)
                expected.push_back(in[i]);
    }
    int *out = zeros<int>(n);
    partition<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
