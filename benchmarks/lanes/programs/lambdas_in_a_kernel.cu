// Lambdas in the kernel use warp functions and the kernel's variables.
#include "check.h"

__global__ void spread(const int *in, int *out)
{
    const unsigned everyone = 0xffffffff;
    const auto reduce = [everyone](int value, auto combine) {
        for (int lanes = warpSize / 2; lanes > 0; lanes /= 2)
            value = combine(value, __shfl_xor_sync(everyone, value, lanes));
        return value;
    };
    const int most = reduce(in[threadIdx.x], [](int a, int b) { return a > b ? a : b; });
    const int least = reduce(in[threadIdx.x], [](int a, int b) { return a < b ? a : b; });
    const auto holders = [&](int value) { return __popc(__ballot_sync(everyone, in[threadIdx.x] == value)); };
    out[threadIdx.x] = (most - least) * 100 + holders(most);
}

int main()
{
    const int n = 160;
    const std::vector<int> in = numbers(n, 30);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int *from = &in[i / 32 * 32], *to = from + 32, most = *std::max_element(from, to);
        expected[i] = (most - *std::min_element(from, to)) * 100 + int(std::count(from, to, most));
    }
    int *out = zeros<int>(n);
    spread<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
