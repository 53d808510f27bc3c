// One header defines the warp size for the kernel and for its launch.
#include "../check.h"
#include "kernel.cuh"

int main()
{
    const int n = 600, blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected;
    for (int value : in)
        if (value % 2 == 0)
            expected.push_back(value);
    int *out = zeros<int>(n), *count = zeros<int>(1);
    compact<<<blocks, BLOCK_SIZE>>>(to_device(in), out, count, n);
    std::vector<int> found = to_host(out, expected.size());
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    return verdict(to_host(count, 1)[0] == int(expected.size()) && same(found, expected));
}
