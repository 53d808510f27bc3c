// A ballot in a signed variable: its sign is the vote of lane 31.
#include "check.h"

__global__ void last_votes(const int *in, int *out)
{
    const int votes = __ballot_sync(0xffffffff, in[threadIdx.x] > 50);
    const long long wide = votes;
    out[threadIdx.x] = (votes < 0) + 2 * (wide < 0) + 4 * (votes == -1) + 8 * (votes & 1);
}

int main()
{
    const int n = 256;
    std::vector<int> in = numbers(n, 100), expected(n);
    for (int i = 128; i < 160; ++i)
        in[i] = 99;
    for (int i = 0; i < n; ++i) {
        const int *warp = &in[i / 32 * 32];
        const bool all = std::all_of(warp, warp + 32, [](int value) { return value > 50; });
        expected[i] = 3 * (warp[31] > 50) + 4 * all + 8 * (warp[0] > 50);
    }
    int *out = zeros<int>(n);
    last_votes<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
