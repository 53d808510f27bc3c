// Reductions by a group as a template argument: tiles of 8, 16 and 32, sizes known only to the template.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <typename Group, typename T> __device__ T reduce_sum(const Group &g, T value)
{
    for (int i = g.size() / 2; i > 0; i /= 2)
        value += g.shfl_down(value, i);
    return g.shfl(value, 0);
}

template <int TileSize> __device__ unsigned mask_of_tile(const cg::thread_block_tile<TileSize> &tile)
{
    unsigned mask = TileSize == 32 ? 0xffffffffu : ((1u << TileSize) - 1u);
    return mask << ((threadIdx.x % 32) / TileSize * TileSize);
}

template <int TileSize> __global__ void rows(const int *in, int *out, int width, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<TileSize> tile = cg::tiled_partition<TileSize>(block);
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / TileSize;
    if (row >= n)
        return;
    int sum = 0;
    for (int i = tile.thread_rank(); i < width; i += tile.size())
        sum += in[row * width + i];
    sum = reduce_sum(tile, sum);
    const unsigned votes = tile.ballot(sum > 100 + int(tile.thread_rank()));
    const unsigned direct = __ballot_sync(mask_of_tile<TileSize>(tile), sum > 100 + int(tile.thread_rank()));
    if (tile.thread_rank() == 0) {
        out[2 * row] = sum + (tile.any(sum < 0) ? 1 : 0);
        out[2 * row + 1] = __popc(votes) * 100 + __popc(direct);
    }
}

template <int TileSize> bool test(const std::vector<int> &in, int width, int n)
{
    std::vector<int> expected(2 * n);
    for (int row = 0; row < n; ++row) {
        int sum = 0, votes = 0;
        for (int i = 0; i < width; ++i)
            sum += in[row * width + i];
        for (int rank = 0; rank < TileSize; ++rank)
            votes += sum > 100 + rank;
        expected[2 * row] = sum;
        expected[2 * row + 1] = 101 * votes;
    }
    int *out = zeros<int>(2 * n);
    const int threads = 96, per_block = threads / TileSize;
    rows<TileSize><<<(n + per_block - 1) / per_block, threads>>>(to_device(in), out, width, n);
    return same(to_host(out, 2 * n), expected);
}

int main()
{
    const int n = 21, width = 37;
    const std::vector<int> in = numbers(n * width, 7);
    return verdict(test<8>(in, width, n) && test<16>(in, width, n) && test<32>(in, width, n));
}
