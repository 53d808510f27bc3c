// Stream compaction; the warp size comes from macros in another header.
#include "../check.h"
#include "compact.h"

__global__ void places(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int place = place_in_warp(in[i] > 40, LANE(threadIdx.x));
    out[i] = in[i] > 40 ? place : -1;
}

int main()
{
    const int n = 6 * WARP_SIZE;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n, -1);
    for (int i = 0, at = 0; i < n; ++i) {
        at = LANE(i) ? at : 0;
        if (in[i] > 40)
            expected[i] = at++;
    }
    int *out = zeros<int>(n);
    places<<<2, 3 * WARP_SIZE>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
