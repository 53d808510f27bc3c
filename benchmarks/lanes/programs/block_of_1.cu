// A block of one thread, whose mask is 1.
#include "check.h"

__global__ void alone(const int *in, int *out)
{
    unsigned mask = __activemask();
    int value = __shfl_sync(mask, in[blockIdx.x], 0);
    int all = __all_sync(mask, value > 10), any = __any_sync(mask, value > 10);
    out[blockIdx.x] = value * 100 + __popc(__ballot_sync(mask, 1)) * 10 + (all == any);
}

int main()
{
    const std::vector<int> in = numbers(20, 30);
    std::vector<int> expected(20);
    for (int i = 0; i < 20; ++i)
        expected[i] = in[i] * 100 + 11;
    int *out = zeros<int>(20);
    alone<<<20, 1>>>(to_device(in), out);
    return verdict(same(to_host(out, 20), expected));
}
