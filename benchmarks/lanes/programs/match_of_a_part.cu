// Matches among eight lanes, while other lanes of the warp may have the same values.
#include "check.h"

__global__ void matches(const int *in, unsigned *any, unsigned *all)
{
    const int lane = threadIdx.x % 32, value = in[threadIdx.x];
    const unsigned octet = 0xffu << (lane & ~7);
    int same;
    any[threadIdx.x] = __match_any_sync(octet, value);
    all[threadIdx.x] = __match_all_sync(octet, value / 4, &same);
    all[threadIdx.x] += same;
}

int main()
{
    const int n = 128;
    std::vector<int> in = numbers(n, 5);
    for (int i = 0; i < n; ++i)
        in[i] = i % 24 < 8 ? in[i] % 4 : in[i];
    std::vector<unsigned> any(n), all(n);
    for (int i = 0; i < n; ++i) {
        bool same = true;
        for (int j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) {
            any[i] |= unsigned(in[j] == in[i]) << j % 32;
            same = same && in[j] / 4 == in[i] / 4;
        }
        all[i] = same ? (0xffu << (i % 32 & ~7)) + 1 : 0;
    }
    unsigned *found_any = zeros<unsigned>(n), *found_all = zeros<unsigned>(n);
    matches<<<1, n>>>(to_device(in), found_any, found_all);
    return verdict(same(to_host(found_any, n), any) && same(to_host(found_all, n), all));
}
