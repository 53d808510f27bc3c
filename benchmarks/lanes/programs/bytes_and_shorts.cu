// Bytes packed into words, and votes on them.
#include "check.h"

__global__ void pack(const unsigned char *in, unsigned *out)
{
    unsigned value = in[threadIdx.x];
    unsigned word = value | __shfl_down_sync(0xffffffff, value, 1, 4) << 8;
    word |= __shfl_down_sync(0xffffffff, word, 2, 4) << 16;
    const bool any_zero = __any_sync(0xffffffff, value == 0);
    if (threadIdx.x % 4 == 0)
        out[threadIdx.x / 4] = any_zero ? ~word : word;
}

int main()
{
    std::vector<unsigned char> in = numbers_as<unsigned char>(256, 255);
    for (unsigned char &value : in)
        value |= 1;
    in[70] = in[255] = 0;
    std::vector<unsigned> expected(64);
    for (int i = 0; i < 256; ++i)
        expected[i / 4] |= unsigned(in[i]) << i % 4 * 8;
    for (int i = 0; i < 64; ++i)
        expected[i] = i / 8 == 2 || i / 8 == 7 ? ~expected[i] : expected[i];
    unsigned *out = zeros<unsigned>(64);
    pack<<<1, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 64), expected));
}
