// Stream compaction with PTX's %lanemask_lt.
#include "check.h"

__device__ __forceinline__ unsigned lanes_before()
{
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

__global__ void places(const int *in, int *out)
{
    unsigned kept = __ballot_sync(0xffffffff, in[threadIdx.x] % 5 == 0);
    out[threadIdx.x] = __popc(kept & lanes_before());
}

int main()
{
    const int n = 160;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i; ++j)
            expected[i] += in[j] % 5 == 0;
    int *out = zeros<int>(n);
    places<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
