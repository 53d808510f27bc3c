// Cooperative groups: a tile of 32 threads.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sums(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int value = in[block.group_index().x * block.size() + block.thread_rank()];
    for (int delta = warp.size() / 2; delta > 0; delta /= 2)
        value += warp.shfl_down(value, delta);
    if (warp.thread_rank() == 0)
        atomicAdd(&out[block.group_index().x], value);
    block.sync();
}

int main()
{
    const int n = 480;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(3);
    for (int i = 0; i < n; ++i)
        expected[i / 160] += in[i];
    int *out = zeros<int>(3);
    sums<<<3, 160>>>(to_device(in), out);
    return verdict(same(to_host(out, 3), expected));
}
