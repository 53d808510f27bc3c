// The lane from PTX's %laneid, as in many libraries.
#include "check.h"

__device__ __forceinline__ int lane_id()
{
    unsigned int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__global__ void broadcast(const int *in, int *out)
{
    int value = 0;
    if (lane_id() == 7)
        value = in[threadIdx.x / 32];
    value = __shfl_sync(0xffffffff, value, 7);
    out[threadIdx.x] = value + lane_id();
}

int main()
{
    const std::vector<int> in = {500, 100, 300, 700};
    std::vector<int> expected(128);
    for (int i = 0; i < 128; ++i)
        expected[i] = in[i / 32] + i % 32;
    int *out = zeros<int>(128);
    broadcast<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 128), expected));
}
