// Tiles of tiles, and their numbers in the block.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <unsigned N, typename Parent> __device__ int sum(const cg::thread_block_tile<N, Parent> &tile, int value)
{
    for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2)
        value += tile.shfl_xor(value, offset);
    return value;
}

__global__ void sums(const int *in, int *of8, int *of32, int *ranks)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    const int t = block.thread_rank();
    of8[t] = sum(eight, in[t]);
    of32[t] = sum(warp, in[t]);
    ranks[t] = warp.meta_group_rank() * 1000 + warp.meta_group_size() * 100 + warp.thread_rank();
}

int main()
{
    const int n = 96;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> of8(n), of32(n), ranks(n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < 8; ++j)
            of8[i] += in[i / 8 * 8 + j];
        for (int j = 0; j < 32; ++j)
            of32[i] += in[i / 32 * 32 + j];
        ranks[i] = i / 32 * 1000 + 300 + i % 32;
    }
    int *eights = zeros<int>(n), *warps = zeros<int>(n), *rank = zeros<int>(n);
    sums<<<1, n>>>(to_device(in), eights, warps, rank);
    return verdict(same(to_host(eights, n), of8) && same(to_host(warps, n), of32) && same(to_host(rank, n), ranks));
}
