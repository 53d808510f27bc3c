// Threads past the end leave first; the others vote with the mask from before.
#include "check.h"

__global__ void counts(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i >= n)
        return;
    unsigned large = __ballot_sync(mask, in[i] >= 50);
    int first = __shfl_sync(mask, in[i], 0);
    if ((threadIdx.x & 31) == 0)
        out[i / 32] = __popc(large) + 100 * first;
}

int main()
{
    const int n = 233;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected((n + 31) / 32);
    for (int i = 0; i < n; ++i)
        expected[i / 32] += (in[i] >= 50) + (i % 32 == 0 ? 100 * in[i] : 0);
    int *out = zeros<int>(expected.size());
    counts<<<2, 128>>>(to_device(in), out, n);
    return verdict(same(to_host(out, expected.size()), expected));
}
