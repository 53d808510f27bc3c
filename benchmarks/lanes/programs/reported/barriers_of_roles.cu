// Each role of a block is a device function that waits at its own barrier.
#include "../check.h"

__device__ void produce(const int *in, int *stage, int lane)
{
    stage[lane] = in[lane] + 1;
    __syncthreads();
}
__device__ void consume(int *out, const int *stage, int lane)
{
    __syncthreads();
    out[lane] = stage[31 - lane];
}

__global__ void roles(const int *in, int *out)
{
    __shared__ int stage[32];
    const int lane = threadIdx.x & 31;
    if (threadIdx.x >> 5)
        consume(out, stage, lane);
    else
        produce(in, stage, lane);
}

int main()
{
    const std::vector<int> in = numbers(32, 100);
    std::vector<int> expected(32);
    for (int i = 0; i < 32; ++i)
        expected[i] = in[31 - i] + 1;
    int *out = zeros<int>(32);
    roles<<<1, 64>>>(to_device(in), out);
    return verdict(same(to_host(out, 32), expected));
}
