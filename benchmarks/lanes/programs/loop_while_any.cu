// A warp continues while any of its lanes has work: Collatz sequences.
#include "check.h"

__global__ void collatz(const int *in, int *steps, int *turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i] + 1, count = 0, turn = 0;
    while (__any_sync(0xffffffff, value != 1)) {
        if (value != 1) {
            value = value % 2 ? 3 * value + 1 : value / 2;
            ++count;
        }
        ++turn;
    }
    steps[i] = count;
    turns[i] = turn;
}

int main()
{
    const int n = 192;
    const std::vector<int> in = numbers(n, 90);
    std::vector<int> steps(n), turns(n);
    for (int i = 0; i < n; ++i)
        for (int value = in[i] + 1; value != 1; value = value % 2 ? 3 * value + 1 : value / 2)
            ++steps[i];
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            turns[i] = std::max(turns[i], steps[j]);
    int *found_steps = zeros<int>(n), *found_turns = zeros<int>(n);
    collatz<<<2, 96>>>(to_device(in), found_steps, found_turns);
    return verdict(same(to_host(found_steps, n), steps) && same(to_host(found_turns, n), turns));
}
