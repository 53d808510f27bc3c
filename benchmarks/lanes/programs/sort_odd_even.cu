// Odd-even transposition until no lane of the warp has anything to exchange.
#include "check.h"

__global__ void sort_warps(float *values)
{
    int lane = threadIdx.x % 32;
    float value = values[threadIdx.x];
    bool moved = true;
    while (moved) {
        moved = false;
        for (int phase = 0; phase < 2; ++phase) {
            int partner = (lane & 1) == phase ? lane + 1 : lane - 1;
            float other = __shfl_sync(0xffffffff, value, partner < 0 || partner > 31 ? lane : partner);
            float wanted = partner > lane ? fminf(value, other) : fmaxf(value, other);
            if (partner < 0 || partner > 31)
                wanted = value;
            moved = __any_sync(0xffffffff, wanted != value) || moved;
            value = wanted;
        }
    }
    values[threadIdx.x] = value;
}

int main()
{
    const int n = 128;
    std::vector<float> in = numbers_as<float>(n, 1000);
    float *values = to_device(in);
    sort_warps<<<1, n>>>(values);
    for (int start = 0; start < n; start += 32)
        std::sort(in.begin() + start, in.begin() + start + 32);
    return verdict(same(to_host(values, n), in));
}
