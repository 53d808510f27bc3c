// Shuffles of a project's own types, by overloads in its own namespace that reinterpret them.
#include "check.h"

struct alignas(16) Ray { float x, y, z; int id; };
struct Packed { char kind; short level; };

namespace ours {
template <typename T> __device__ T shfl(unsigned mask, T value, int lane, int width = warpSize)
{
    static_assert(sizeof(T) % 4 == 0, "whole words");
    int *words = reinterpret_cast<int *>(&value);
    for (int i = 0; i < int(sizeof(T) / 4); ++i)
        words[i] = __shfl_sync(mask, words[i], lane, width);
    return value;
}
} // namespace ours

union Bits { Packed packed; int word; };

__global__ void rotate(const int *in, int *ids, int *levels)
{
    const int t = threadIdx.x, lane = t % warpSize;
    Ray ray{float(in[t]), 0, 1, in[t] + 1};
    ray = ours::shfl(0xffffffff, ray, (lane + 5) % 32);
    Bits bits;
    bits.word = 0;
    bits.packed.level = short(in[t]);
    bits.word = __shfl_xor_sync(0xffffffffu, bits.word, 7);
    ids[t] = ray.id + int(ray.x);
    levels[t] = bits.packed.level;
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> ids(n), levels(n);
    for (int i = 0; i < n; ++i) {
        ids[i] = 2 * in[i / 32 * 32 + (i % 32 + 5) % 32] + 1;
        levels[i] = in[i ^ 7];
    }
    int *id = zeros<int>(n), *level = zeros<int>(n);
    rotate<<<1, n>>>(to_device(in), id, level);
    return verdict(same(to_host(id, n), ids) && same(to_host(level, n), levels));
}
