// The lanes with the same key form the mask of further warp functions.
#include "check.h"

__global__ void groups(const int *keys, const int *values, int *out)
{
    int t = threadIdx.x;
    unsigned peers = __match_any_sync(0xffffffff, keys[t]);
    int leader = __ffs(peers) - 1;
    int first = __shfl_sync(peers, values[t], leader);
    int rank = __popc(peers & ((1u << (t & 31)) - 1));
    out[t] = first * 100 + rank;
}

int main()
{
    const int n = 128;
    const std::vector<int> keys = numbers(n, 5), values = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        int first = -1, rank = 0;
        for (int j = i / 32 * 32; j <= i; ++j) {
            if (keys[j] == keys[i]) {
                first = first < 0 ? j : first;
                rank += j < i;
            }
        }
        expected[i] = values[first] * 100 + rank;
    }
    int *out = zeros<int>(n);
    groups<<<1, n>>>(to_device(keys), to_device(values), out);
    return verdict(same(to_host(out, n), expected));
}
