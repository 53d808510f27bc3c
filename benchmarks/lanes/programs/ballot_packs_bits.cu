// Ballots are stored as words of 32 flags.
#include "check.h"

__global__ void pack(const int *in, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned bits = __ballot_sync(0xffffffff, i < n && in[i] > 60);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = bits;
}

int main()
{
    const int n = 500;
    const std::vector<int> in = numbers(n, 100);
    std::vector<unsigned> expected(16);
    for (int i = 0; i < n; ++i)
        expected[i / 32] |= unsigned(in[i] > 60) << i % 32;
    unsigned *out = zeros<unsigned>(16);
    pack<<<4, 128>>>(to_device(in), out, n);
    return verdict(same(to_host(out, 16), expected));
}
