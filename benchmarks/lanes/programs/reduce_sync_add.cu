// The reduction of compute capability 8.0, over all lanes and over some.
#include "check.h"

__global__ void sums(const unsigned *in, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, all = __reduce_add_sync(0xffffffff, in[threadIdx.x]);
    unsigned mask = lane < 20 ? 0xfffffu : 0xfff00000u;
    unsigned part = __reduce_add_sync(mask, in[threadIdx.x]);
    out[threadIdx.x] = all * 10000 + part;
}

int main()
{
    const std::vector<unsigned> in = numbers_as<unsigned>(192, 100);
    std::vector<unsigned> expected(192);
    for (int i = 0; i < 192; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += 10000 * in[j] + ((i % 32 < 20) == (j % 32 < 20) ? in[j] : 0);
    unsigned *out = zeros<unsigned>(192);
    sums<<<1, 192>>>(to_device(in), out);
    return verdict(same(to_host(out, 192), expected));
}
