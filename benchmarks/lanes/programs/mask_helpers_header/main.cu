// Arithmetic with masks in functions of a header, and a partial warp at the end of the block.
#include "../check.h"
#include "masks.h"

__global__ void compact(const int *in, int n, int *out, int *counts)
{
    const int lane = threadIdx.x & (LANES - 1), warp = threadIdx.x >> LOG_LANES;
    const int here = min(LANES, n - warp * LANES);
    if (lane >= here)
        return;
    const lane_mask_t members = mask_of_first(here);
    const lane_mask_t chosen = __ballot_sync(members, in[threadIdx.x] % 3 == 0);
    const int source = nth_lane(chosen, lane);
    const int value = __shfl_sync(members, in[threadIdx.x], source % LANES);
    if (lane < count(chosen))
        out[warp * LANES + lane] = value;
    if (lane == 0)
        counts[warp] = count(chosen);
    if (chosen & (1u << lane))
        out[warp * LANES + count(chosen & lower_lanes(lane))] += 1000;
}

int main()
{
    const int n = 77;
    const std::vector<int> in = numbers(n, 500);
    std::vector<int> expected(96), counts(3);
    for (int i = 0; i < n; ++i)
        if (in[i] % 3 == 0)
            expected[i / 32 * 32 + counts[i / 32]++] = in[i] + 1000;
    int *out = zeros<int>(96), *count = zeros<int>(3);
    compact<<<1, n>>>(to_device(in), n, out, count);
    return verdict(same(to_host(out, 96), expected) && same(to_host(count, 3), counts));
}
