// Runs of equal values within a warp: a shuffle compares neighbours, a ballot finds the ends.
#include "check.h"

__global__ void lengths(const int *in, int *out)
{
    const unsigned lane = threadIdx.x % 32;
    const int value = in[threadIdx.x], before = __shfl_up_sync(0xffffffff, value, 1);
    const bool is_head = lane == 0 || value != before;
    const unsigned heads = __ballot_sync(0xffffffff, is_head);
    const unsigned behind = heads & ~((2u << lane) - 1);
    const int next = behind ? __ffs(behind) - 1 : 32;
    out[threadIdx.x] = is_head ? next - int(lane) : 0;
}

int main()
{
    const int n = 256;
    const std::vector<int> in = numbers(n, 3);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        if (i % 32 == 0 || in[i] != in[i - 1]) {
            int end = i + 1;
            while (end % 32 && in[end] == in[i])
                ++end;
            expected[i] = end - i;
        }
    }
    int *out = zeros<int>(n);
    lengths<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
