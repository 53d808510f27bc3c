// Minimum, maximum, and bits over a warp, in a block with a partial warp.
#include "check.h"

__global__ void combine(const int *in, int *out)
{
    unsigned mask = threadIdx.x < 64 ? 0xffffffffu : 0xffu;
    unsigned bits = in[threadIdx.x];
    int least = __reduce_min_sync(mask, in[threadIdx.x]), most = __reduce_max_sync(mask, in[threadIdx.x]);
    unsigned both = __reduce_and_sync(mask, bits), any = __reduce_or_sync(mask, bits);
    out[threadIdx.x] = least + 100 * most + 1000000 * int(both ^ any) + int(__reduce_xor_sync(mask, bits));
}

int main()
{
    const int n = 72;
    const std::vector<int> in = numbers(n, 99);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        int least = 1000, most = 0, both = ~0, any = 0, odd = 0;
        for (int j = i / 32 * 32; j < n && j < i / 32 * 32 + 32; ++j) {
            least = std::min(least, in[j]);
            most = std::max(most, in[j]);
            both &= in[j];
            any |= in[j];
            odd ^= in[j];
        }
        expected[i] = least + 100 * most + 1000000 * (both ^ any) + odd;
    }
    int *out = zeros<int>(n);
    combine<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
