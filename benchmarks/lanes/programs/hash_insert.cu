// A hash set: lanes of a warp that have the same key insert it once.
#include "check.h"

__global__ void insert(const int *keys, int *table, int *distinct, int size)
{
    const int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
    const unsigned peers = __match_any_sync(0xffffffff, key);
    bool is_new = false;
    if ((threadIdx.x & 31) == __ffs(peers) - 1) {
        for (int slot = key * 7 % size;; slot = (slot + 1) % size) {
            const int found = atomicCAS(&table[slot], -1, key);
            is_new = found == -1;
            if (found == -1 || found == key)
                break;
        }
    }
    const unsigned inserted = __ballot_sync(0xffffffff, is_new);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(distinct, __popc(inserted));
}

int main()
{
    const int n = 512, size = 256;
    const std::vector<int> keys = numbers(n, 150);
    std::vector<int> expected(keys);
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    int *table = to_device(std::vector<int>(size, -1)), *distinct = zeros<int>(1);
    insert<<<4, 128>>>(to_device(keys), table, distinct, size);
    std::vector<int> found;
    for (int key : to_host(table, size))
        if (key >= 0)
            found.push_back(key);
    std::sort(found.begin(), found.end());
    return verdict(found == expected && to_host(distinct, 1)[0] == int(expected.size()));
}
