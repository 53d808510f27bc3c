// Lanes that skip an iteration with `continue` do not vote in it.
#include "check.h"

__global__ void votes(const int *in, int *out, int turns)
{
    int sum = 0;
    for (int turn = 0; turn < turns; ++turn) {
        if (in[threadIdx.x] % (turn + 2) == 0)
            continue;
        sum += __popc(__activemask()) * (turn + 1);
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int n = 128, turns = 6;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int turn = 0; turn < turns; ++turn)
            for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
                expected[i] += in[i] % (turn + 2) && in[j] % (turn + 2) ? turn + 1 : 0;
    int *out = zeros<int>(n);
    votes<<<1, n>>>(to_device(in), out, turns);
    return verdict(same(to_host(out, n), expected));
}
