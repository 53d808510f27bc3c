// The classic block sum, which `if (tid < 32)` finishes.
#include "check.h"

__global__ void sum_of_block(const int *in, int *out)
{
    __shared__ int shared[256];
    int tid = threadIdx.x;
    shared[tid] = in[blockIdx.x * 256 + tid];
    __syncthreads();
    for (int s = 128; s > 32; s >>= 1) {
        if (tid < s)
            shared[tid] += shared[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        int value = shared[tid] + shared[tid + 32];
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffff, value, offset);
        if (tid == 0)
            out[blockIdx.x] = value;
    }
}

int main()
{
    const std::vector<int> in = numbers(1024, 100);
    std::vector<int> expected(4);
    for (int i = 0; i < 1024; ++i)
        expected[i / 256] += in[i];
    int *out = zeros<int>(4);
    sum_of_block<<<4, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
