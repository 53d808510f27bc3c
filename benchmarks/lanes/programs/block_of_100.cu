// The last warp has four lanes; its mask is computed from the number of remaining threads.
#include "check.h"

__global__ void counts(const int *in, int *out)
{
    const int warp = threadIdx.x / 32, left = blockDim.x - warp * 32;
    const unsigned mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    const unsigned even = __ballot_sync(mask, in[threadIdx.x] % 2 == 0);
    const int all = __all_sync(mask, in[threadIdx.x] < 1000), any = __any_sync(mask, in[threadIdx.x] == 3);
    if (threadIdx.x % 32 == 0)
        out[warp] = __popc(even) + 100 * all + 1000 * any;
}

int main()
{
    const std::vector<int> in = numbers(100, 20);
    std::vector<int> expected(4, 100);
    for (int i = 0; i < 100; ++i) {
        expected[i / 32] += in[i] % 2 == 0;
        if (in[i] == 3 && expected[i / 32] < 1000)
            expected[i / 32] += 1000;
    }
    int *out = zeros<int>(4);
    counts<<<1, 100>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
