// The width of the segments is an argument of the kernel.
#include "check.h"

__global__ void neighbours(const int *in, int *out, int width)
{
    int t = threadIdx.x;
    int first = __shfl_sync(0xffffffff, in[t], 0, width);
    int up = __shfl_up_sync(0xffffffff, in[t], 1, width);
    int down = __shfl_down_sync(0xffffffff, in[t], 1, width);
    int last = __shfl_sync(0xffffffff, in[t], -1, width);
    out[t] = first + 3 * up + 5 * down + 7 * last;
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 1000);
    bool passed = true;
    for (int width = 2; width <= 32; width *= 2) {
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            int from = i / width * width, to = from + width - 1;
            expected[i] = in[from] + 3 * in[i > from ? i - 1 : i] + 5 * in[i < to ? i + 1 : i] + 7 * in[to];
        }
        int *out = zeros<int>(n);
        neighbours<<<1, n>>>(to_device(in), out, width);
        passed = passed && same(to_host(out, n), expected);
    }
    return verdict(passed);
}
