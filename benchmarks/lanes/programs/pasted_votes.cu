// A macro takes the name of a function, without its underscores, as an argument.
#include "check.h"

#define VOTE(kind, predicate) __##kind##_sync(0xffffffff, predicate)

__global__ void votes(const int *in, int *out)
{
    const int value = in[threadIdx.x];
    out[threadIdx.x] = VOTE(any, value > 95) + 2 * VOTE(all, value > 2) + 4 * __popc(VOTE(ballot, value > 50));
}

int main()
{
    const int n = 192;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int *from = &in[i / 32 * 32], *to = from + 32;
        expected[i] = std::any_of(from, to, [](int value) { return value > 95; });
        expected[i] += 2 * std::all_of(from, to, [](int value) { return value > 2; });
        expected[i] += 4 * int(std::count_if(from, to, [](int value) { return value > 50; }));
    }
    int *out = zeros<int>(n);
    votes<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
