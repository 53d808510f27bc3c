// Stream compaction; a variable holds the lane.
#include "check.h"

__global__ void positions(const int *in, int *out)
{
    int t = threadIdx.x, lane = t & 31;
    unsigned m = __ballot_sync(0xffffffff, in[t] & 1);
    int at = __popc(m & ((1u << lane) - 1));
    out[t] = in[t] & 1 ? at : -1;
}

int main()
{
    const int n = 256;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n, -1);
    for (int i = 0, at = 0; i < n; ++i) {
        at = i % 32 ? at : 0;
        if (in[i] & 1)
            expected[i] = at++;
    }
    int *out = zeros<int>(n);
    positions<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
