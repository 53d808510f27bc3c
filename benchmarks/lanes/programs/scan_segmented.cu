// Prefix sums that restart at flags: a ballot collects the flags of a warp.
#include "check.h"

__global__ void scans(const int *in, const int *flags, int *out)
{
    const int t = threadIdx.x, lane = t % 32;
    const unsigned heads = __ballot_sync(0xffffffff, flags[t]) | 1u;
    const int start = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
    int value = in[t];
    for (int delta = 1; delta < 32; delta *= 2) {
        const int before = __shfl_up_sync(0xffffffff, value, delta);
        if (lane - delta >= start)
            value += before;
    }
    out[t] = value;
}

int main()
{
    const int n = 192;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> flags = numbers(n, 1000), expected(n);
    for (int i = 0; i < n; ++i) {
        flags[i] = flags[i] % 6 == 0;
        expected[i] = in[i] + (i % 32 && !flags[i] ? expected[i - 1] : 0);
    }
    int *out = zeros<int>(n);
    scans<<<1, n>>>(to_device(in), to_device(flags), out);
    return verdict(same(to_host(out, n), expected));
}
