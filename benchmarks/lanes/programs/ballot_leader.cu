// The first lane that meets a condition writes for its warp.
#include "check.h"

__global__ void first_negative(const int *in, int *out)
{
    unsigned found = __ballot_sync(0xffffffff, in[threadIdx.x] < 0);
    int leader = __ffs(found) - 1;
    if (found == 0) {
        if (threadIdx.x % 32 == 0)
            out[threadIdx.x / 32] = -1;
    } else if (threadIdx.x % 32 == leader) {
        out[threadIdx.x / 32] = leader;
    }
}

int main()
{
    std::vector<int> in = numbers(256, 40), expected(8, -1);
    for (int i = 0; i < 256; ++i) {
        in[i] = i / 32 == 5 ? 1 : in[i] - 2;
        if (in[i] < 0 && expected[i / 32] < 0)
            expected[i / 32] = i % 32;
    }
    int *out = zeros<int>(8);
    first_negative<<<1, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 8), expected));
}
