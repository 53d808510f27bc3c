// One macro reads PTX registers, another holds the number of lanes.
#include "check.h"

#define WARP_LANES 32
#define GET_LANE_ID(lane) asm("mov.u32 %0, %%laneid;" : "=r"(lane))
#define GET_LANES_BEFORE(mask) asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask))

__global__ void places(const int *in, int *out)
{
    unsigned lane, before;
    GET_LANE_ID(lane);
    GET_LANES_BEFORE(before);
    const unsigned kept = __ballot_sync(0xffffffff, in[threadIdx.x] > 30);
    out[threadIdx.x] = __popc(kept & before) * WARP_LANES + lane;
}

int main()
{
    const int n = 3 * WARP_LANES;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        expected[i] = i % 32;
        for (int j = i / 32 * 32; j < i; ++j)
            expected[i] += 32 * (in[j] > 30);
    }
    int *out = zeros<int>(n);
    places<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
