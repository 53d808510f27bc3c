// The other lane masks of PTX.
#include "check.h"

__device__ inline unsigned mask_eq()
{
    unsigned mask;
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
    return mask;
}
__device__ inline unsigned mask_le()
{
    unsigned mask;
    asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
    return mask;
}
__device__ inline unsigned mask_gt()
{
    unsigned mask;
    asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
    return mask;
}
__device__ inline unsigned mask_ge()
{
    unsigned mask;
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
    return mask;
}

__global__ void masks(unsigned *out)
{
    unsigned *own = out + 4 * threadIdx.x;
    own[0] = mask_eq();
    own[1] = mask_le();
    own[2] = mask_gt();
    own[3] = mask_ge();
}

int main()
{
    const int n = 96;
    std::vector<unsigned> expected;
    for (int i = 0; i < n; ++i) {
        const unsigned eq = 1u << i % 32;
        for (unsigned mask : {eq, eq | (eq - 1), ~(eq | (eq - 1)), ~(eq - 1)})
            expected.push_back(mask);
    }
    unsigned *out = zeros<unsigned>(4 * n);
    masks<<<1, n>>>(out);
    return verdict(same(to_host(out, 4 * n), expected));
}
