// Keys of one and two bytes.
#include "check.h"

__global__ void matches(const unsigned char *in, unsigned *out)
{
    const short doubled = short(in[threadIdx.x] * 2);
    const bool is_odd = in[threadIdx.x] & 1;
    out[threadIdx.x] = __match_any_sync(0xffffffff, in[threadIdx.x]);
    out[threadIdx.x] ^= 3 * __match_any_sync(0xffffffff, doubled);
    out[threadIdx.x] ^= 5 * __match_any_sync(0xffffffff, is_odd);
}

int main()
{
    const int n = 96;
    const std::vector<unsigned char> in = numbers_as<unsigned char>(n, 9);
    std::vector<unsigned> expected(n);
    for (int i = 0; i < n; ++i) {
        unsigned equal = 0, parity = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            equal |= unsigned(in[j] == in[i]) << j % 32;
            parity |= unsigned(in[j] % 2 == in[i] % 2) << j % 32;
        }
        expected[i] = equal ^ 3 * equal ^ 5 * parity;
    }
    unsigned *out = zeros<unsigned>(n);
    matches<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
