// Warps with roles hand over by barriers of the block as a cooperative group, in different branches.
#include "../check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void roles(const int *in, int *out, int pieces)
{
    __shared__ int stage[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    if (warp.meta_group_rank() == 0) {
        for (int piece = 0; piece < pieces; ++piece) {
            stage[warp.thread_rank()] = in[32 * piece + warp.thread_rank()];
            block.sync();
            block.sync();
        }
    } else {
        for (int piece = 0; piece < pieces; ++piece) {
            block.sync();
            out[32 * piece + warp.thread_rank()] = 2 * stage[31 - warp.thread_rank()];
            block.sync();
        }
    }
}

int main()
{
    const int pieces = 4, n = 32 * pieces;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = 2 * in[i / 32 * 32 + 31 - i % 32];
    int *out = zeros<int>(n);
    roles<<<1, 64>>>(to_device(in), out, pieces);
    return verdict(same(to_host(out, n), expected));
}
