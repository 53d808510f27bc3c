// The host prints ballots with %08x: they keep their 32 bits.
#include "check.h"

__global__ void hashes(const int *in, unsigned *out)
{
    unsigned hash = 2166136261u;
    for (int bit = 0; bit < 8; ++bit)
        hash = (hash ^ __ballot_sync(0xffffffff, in[threadIdx.x] >> bit & 1)) * 16777619u;
    out[threadIdx.x / 32] = hash;
}

int main()
{
    const std::vector<int> in = numbers(128, 256);
    std::vector<unsigned> expected(4, 2166136261u);
    for (int warp = 0; warp < 4; ++warp) {
        for (int bit = 0; bit < 8; ++bit) {
            unsigned ballot = 0;
            for (int lane = 0; lane < 32; ++lane)
                ballot |= unsigned(in[warp * 32 + lane] >> bit & 1) << lane;
            expected[warp] = (expected[warp] ^ ballot) * 16777619u;
        }
    }
    unsigned *out = zeros<unsigned>(4);
    hashes<<<1, 128>>>(to_device(in), out);
    const std::vector<unsigned> found = to_host(out, 4);
    for (unsigned hash : found)
        std::printf("%08x\n", hash);
    return verdict(same(found, expected));
}
