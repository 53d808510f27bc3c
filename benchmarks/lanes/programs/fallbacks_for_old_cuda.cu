// Macros that define the new names for an old CUDA.
#include "check.h"

#if defined(CUDART_VERSION) && CUDART_VERSION < 9000
#define __shfl_down_sync(mask, value, delta) __shfl_down(value, delta)
#define __ballot_sync(mask, predicate) __ballot(predicate)
#define __syncwarp(...)
#endif

__global__ void sums(const int *in, int *out)
{
    int value = in[threadIdx.x];
    for (int delta = 16; delta > 0; delta /= 2)
        value += __shfl_down_sync(0xffffffff, value, delta);
    __syncwarp();
    const unsigned odd = __ballot_sync(0xffffffff, in[threadIdx.x] & 1);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = value + 10000 * __popc(odd);
}

int main()
{
    const std::vector<int> in = numbers(96, 100);
    std::vector<int> expected(3);
    for (int i = 0; i < 96; ++i)
        expected[i / 32] += in[i] + 10000 * (in[i] & 1);
    int *out = zeros<int>(3);
    sums<<<1, 96>>>(to_device(in), out);
    return verdict(same(to_host(out, 3), expected));
}
