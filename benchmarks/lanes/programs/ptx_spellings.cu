// PTX's registers of a lane in other spellings: bits of no sign, tabs, two moves, results in members and elements.
#include "check.h"

struct Lane {
    unsigned id, below;
};

__device__ Lane lane()
{
    Lane l;
    asm volatile("mov.u32 \t%0, %%laneid;\n\t" : "=r"(l.id));
    asm("mov.b32 %0, %%lanemask_lt;" : "=r"(l.below));
    return l;
}

__global__ void places(const int *in, int *out, int *sizes)
{
    unsigned masks[2];
    asm volatile("mov.u32 %0, %lanemask_le;" : "=r"(masks[0]));
    asm __volatile__("mov.u32 %0, %%lanemask_gt;" : "=r"(masks[1]));
    const Lane l = lane();
    const unsigned even = __ballot_sync(~0U, !(in[threadIdx.x] & 1));
    out[threadIdx.x] = __popc(even & l.below) + 100 * __popc(even & masks[0]) + 10000 * __popc(even & masks[1]) + 1000000 * l.id;
    int size;
    asm("mov.s32 %0, WARP_SZ;" : "=r"(size));
    if (l.id == 0)
        sizes[threadIdx.x / size] = size;
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            const int even = in[j] % 2 == 0;
            expected[i] += even * ((j < i) + 100 * (j <= i) + 10000 * (j > i)) + (j == i) * 1000000 * (i % 32);
        }
    int *out = zeros<int>(n), *sizes = zeros<int>(4);
    places<<<1, n>>>(to_device(in), out, sizes);
    return verdict(same(to_host(out, n), expected) && same(to_host(sizes, 4), {32, 32, 32, 32}));
}
