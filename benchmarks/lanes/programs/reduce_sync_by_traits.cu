// __reduce_*_sync chosen by the type of an operation, for the masks of the lanes with one key.
#include "check.h"

struct Plus {}; struct Least {}; struct Either {};
template <typename Op> struct Reduce;
template <> struct Reduce<Plus> { template <typename T> static __device__ T warp(unsigned m, T v) { return __reduce_add_sync(m, v); } };
template <> struct Reduce<Least> { template <typename T> static __device__ T warp(unsigned m, T v) { return __reduce_min_sync(m, v); } };
template <> struct Reduce<Either> { template <typename T> static __device__ unsigned warp(unsigned m, T v) { return __reduce_or_sync(m, unsigned(v)); } };

__global__ void reduce(const int *keys, const int *in, int *sums, int *least, unsigned *bits)
{
    const int t = threadIdx.x;
    int same;
    const unsigned all = __match_all_sync(~0u, keys[t] >> 20, &same);
    const unsigned peers = __match_any_sync(all, keys[t]);
    sums[t] = same ? Reduce<Plus>::warp(peers, in[t]) : -1;
    least[t] = Reduce<Least>::warp(peers, in[t] - 500);
    bits[t] = Reduce<Either>::warp(~0u, 1 << (in[t] % 32));
}

int main()
{
    const int n = 64;
    const std::vector<int> keys = numbers(n, 4), in = numbers(n, 1000);
    std::vector<int> sums(n), least(n, INT_MAX);
    std::vector<unsigned> bits(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            bits[i] |= 1u << (in[j] % 32);
            if (keys[i] == keys[j]) {
                sums[i] += in[j];
                least[i] = std::min(least[i], in[j] - 500);
            }
        }
    int *sum = zeros<int>(n), *low = zeros<int>(n);
    unsigned *bit = zeros<unsigned>(n);
    reduce<<<1, n>>>(to_device(keys), to_device(in), sum, low, bit);
    return verdict(same(to_host(sum, n), sums) && same(to_host(low, n), least) && same(to_host(bit, n), bits));
}
