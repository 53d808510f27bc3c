// Whether all lanes of a warp have the same value, and which lanes.
#include "check.h"

__global__ void uniform(const long long *in, unsigned *out)
{
    int same;
    unsigned lanes = __match_all_sync(0xffffffff, in[threadIdx.x], &same);
    out[threadIdx.x] = lanes / 2 + same;
}

int main()
{
    std::vector<long long> in(256, 1ll << 40);
    for (int i = 64; i < 128; ++i)
        in[i] = i / 32;
    in[140] = 3;
    in[255] = 1;
    std::vector<unsigned> expected(256, 0x80000000u);
    for (int i = 0; i < 256; ++i)
        if (i / 32 == 4 || i / 32 == 7)
            expected[i] = 0;
    unsigned *out = zeros<unsigned>(256);
    uniform<<<1, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 256), expected));
}
