// A hash table with buckets of a tile's size: the tile probes a bucket together, its lanes take turns.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

static constexpr int EMPTY = -1;

template <int CG_SIZE>
__device__ bool insert(cg::thread_block_tile<CG_SIZE> const &tile, int *table, int buckets, int key)
{
    for (int probe = 0; probe < buckets; ++probe) {
        const int bucket = (key * 7 + probe) % buckets;
        int *slot = table + bucket * CG_SIZE + tile.thread_rank();
        int seen = *(volatile int *)slot;
        if (tile.any(seen == key))
            return false;
        unsigned empty = tile.ballot(seen == EMPTY);
        while (empty) {
            const int candidate = __ffs(empty) - 1;
            int old = EMPTY;
            if (tile.thread_rank() == candidate)
                old = atomicCAS(slot, EMPTY, key);
            old = tile.shfl(old, candidate);
            if (old == EMPTY)
                return true;
            if (old == key)
                return false;
            empty &= empty - 1;
        }
    }
    return false;
}

template <int CG_SIZE> __global__ void build(int *table, int buckets, const int *keys, int n, int *inserted)
{
    auto tile = cg::tiled_partition<CG_SIZE>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int key = i < n ? keys[i] : EMPTY;
    bool todo = i < n;
    while (unsigned work = tile.ballot(todo)) {
        const int leader = __ffs(work) - 1;
        const int chosen = tile.shfl(key, leader);
        const bool is_new = insert<CG_SIZE>(tile, table, buckets, chosen);
        if (tile.thread_rank() == leader) {
            todo = false;
            if (is_new)
                atomicAdd(inserted, 1);
        }
    }
}

template <int CG_SIZE> bool test()
{
    const int n = 200, buckets = 512 / CG_SIZE;
    const std::vector<int> keys = numbers(n, 150);
    std::vector<int> distinct = keys;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    int *table = to_device(std::vector<int>(512, EMPTY)), *inserted = zeros<int>(1);
    build<CG_SIZE><<<2, 128>>>(table, buckets, to_device(keys), n, inserted);
    std::vector<int> found = to_host(table, 512);
    std::sort(found.begin(), found.end());
    found.erase(found.begin(), std::upper_bound(found.begin(), found.end(), EMPTY));
    return found.size() == distinct.size() && same(found, distinct) && same(to_host(inserted, 1), {int(distinct.size())});
}

int main() { return verdict(test<8>() && test<16>() && test<32>()); }
