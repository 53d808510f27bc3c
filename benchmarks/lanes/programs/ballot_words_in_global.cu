// Bits of a ballot stored as one word a warp, whose place is counted by lanes of 32 in several ways.
#include "check.h"
#include <cstdint>

__global__ void pack(const int *in, int n, uint32_t *words)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n + 31 & ~31); i += gridDim.x * blockDim.x) {
        const uint32_t bits = __ballot_sync(0xFFFFFFFFu, i < n && in[i] & 1);
        if (!(i & 0x1f))
            words[i >> 5] = bits;
    }
}

__global__ void unpack(const uint32_t *words, int n, int *ranks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const uint32_t word = words[i / 32];
        ranks[i] = word >> i % 32 & 1 ? __popc(word << (31 - i % 32)) : 0;
    }
}

int main()
{
    const int n = 333;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0, rank = 0; i < n; ++i) {
        rank = i % 32 ? rank : 0;
        expected[i] = in[i] & 1 ? ++rank : 0;
    }
    uint32_t *words = zeros<uint32_t>(11);
    int *ranks = zeros<int>(n);
    pack<<<2, 64>>>(to_device(in), n, words);
    unpack<<<3, 128>>>(words, n, ranks);
    return verdict(same(to_host(ranks, n), expected));
}
