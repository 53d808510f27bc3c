// The k-th smallest of 32 numbers, bit by bit from ballots.
#include "check.h"

__global__ void select(const unsigned *in, unsigned *out, int k)
{
    const unsigned value = in[threadIdx.x];
    unsigned candidates = 0xffffffff, result = 0;
    int left = k;
    for (int bit = 15; bit >= 0; --bit) {
        const unsigned ones = __ballot_sync(0xffffffff, value >> bit & 1);
        const unsigned zeros = candidates & ~ones;
        if (left < __popc(zeros)) {
            candidates = zeros;
        } else {
            left -= __popc(zeros);
            candidates &= ones;
            result |= 1u << bit;
        }
    }
    out[threadIdx.x] = result;
}

int main()
{
    const int n = 128;
    std::vector<unsigned> in = numbers_as<unsigned>(n, 65536), expected(n);
    unsigned *out = zeros<unsigned>(n);
    select<<<1, n>>>(to_device(in), out, 11);
    for (int start = 0; start < n; start += 32) {
        std::sort(in.begin() + start, in.begin() + start + 32);
        std::fill_n(expected.begin() + start, 32, in[start + 11]);
    }
    return verdict(same(to_host(out, n), expected));
}
