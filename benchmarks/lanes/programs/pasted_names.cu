// Macros paste the functions' names together.
#include "check.h"

#define SHUFFLE(way, value, by) __shfl_##way##_sync(0xffffffff, value, by)
#define DEFINE(way)                                                                 \
    __device__ int by_##way(int value, int by) { return SHUFFLE(way, value, by); }

DEFINE(up)
DEFINE(down)
DEFINE(xor)

__global__ void mix(const int *in, int *out)
{
    int value = in[threadIdx.x];
    int mixed = by_up(value, 3) + 10 * by_down(value, 5) + 100 * by_xor(value, 9);
    out[threadIdx.x] = mixed + 1000 * __any_sync(0xffffffff, value > 95) + 10000 * __popc(__ballot_sync(0xffffffff, value > 50));
}

int main()
{
    const int n = 192;
    const std::vector<int> in = numbers(n, 10);
    std::vector<int> values(n), expected(n);
    for (int i = 0; i < n; ++i)
        values[i] = in[i] + (i / 32 % 2 ? 90 : 45);
    for (int i = 0; i < n; ++i) {
        const int lane = i % 32, *warp = &values[i - lane];
        int any = 0, count = 0;
        for (int j = 0; j < 32; ++j) {
            any |= warp[j] > 95;
            count += warp[j] > 50;
        }
        expected[i] = warp[lane < 3 ? lane : lane - 3] + 10 * warp[lane > 26 ? lane : lane + 5] +
                      100 * warp[lane ^ 9] + 1000 * any + 10000 * count;
    }
    int *out = zeros<int>(n);
    mix<<<1, n>>>(to_device(values), out);
    return verdict(same(to_host(out, n), expected));
}
