// The last lane that meets a condition, by __clz and by __brev.
#include "check.h"

__global__ void last_small(const int *in, int *out)
{
    unsigned found = __ballot_sync(0xffffffff, in[threadIdx.x] < 10);
    int by_clz = 31 - __clz(found), by_brev = 32 - __ffs(__brev(found));
    if (found == 0)
        by_brev = -1;
    out[threadIdx.x] = by_clz * 100 + by_brev;
}

int main()
{
    const std::vector<int> in = numbers(192, 100);
    std::vector<int> expected(192, -101);
    for (int i = 0; i < 192; ++i)
        for (int j = 0; j < 32; ++j)
            if (in[i / 32 * 32 + j] < 10)
                expected[i] = j * 101;
    int *out = zeros<int>(192);
    last_small<<<1, 192>>>(to_device(in), out);
    return verdict(same(to_host(out, 192), expected));
}
