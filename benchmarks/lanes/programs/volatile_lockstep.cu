// The old idiom: the last warp of a block adds through volatile shared memory, without a barrier.
#include "check.h"

__device__ void last_warp(volatile int *shared, int t)
{
    shared[t] += shared[t + 32];
    shared[t] += shared[t + 16];
    shared[t] += shared[t + 8];
    shared[t] += shared[t + 4];
    shared[t] += shared[t + 2];
    shared[t] += shared[t + 1];
}

__global__ void sums(const int *in, int *out)
{
    __shared__ int shared[128];
    int t = threadIdx.x;
    shared[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64)
        shared[t] += shared[t + 64];
    __syncthreads();
    if (t < 32)
        last_warp(shared, t);
    if (t == 0)
        out[blockIdx.x] = shared[0];
}

int main()
{
    const std::vector<int> in = numbers(512, 1000);
    std::vector<int> expected(4);
    for (int i = 0; i < 512; ++i)
        expected[i / 128] += in[i];
    int *out = zeros<int>(4);
    sums<<<4, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
