// Cooperative groups: votes of a tile beside votes of the warp.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void votes(const int *in, int *out)
{
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto tile = cg::tiled_partition<8>(warp);
    const int value = in[threadIdx.x];
    const unsigned of_warp = warp.ballot(value & 1), of_tile = tile.ballot(value & 1);
    const int lower = __popc(of_warp & ((1u << warp.thread_rank()) - 1));
    out[threadIdx.x] = lower + 100 * __popc(of_tile) + 1000 * (tile.all(value > 10) != 0);
    out[threadIdx.x] += 10000 * warp.meta_group_rank() + 100000 * __popc(warp.match_any(value % 7));
}

int main()
{
    const int n = 160;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int *warp = &in[i / 32 * 32], *tile = &in[i / 8 * 8];
        expected[i] = 10000 * (i / 32) + 1000 * std::all_of(tile, tile + 8, [](int value) { return value > 10; });
        for (int j = 0; j < i % 32; ++j)
            expected[i] += warp[j] & 1;
        for (int j = 0; j < 8; ++j)
            expected[i] += 100 * (tile[j] & 1);
        for (int j = 0; j < 32; ++j)
            expected[i] += 100000 * (warp[j] % 7 == in[i] % 7);
    }
    int *out = zeros<int>(n);
    votes<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
