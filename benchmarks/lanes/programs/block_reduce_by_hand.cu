// A block's reduction with the number of warps from blockDim and a macro, the second stage by some lanes only.
#include "check.h"
#define WARPS_OF(n) (((n) + warpSize - 1) / warpSize)
#define IS_FIRST_LANE ((threadIdx.x & (warpSize - 1)) == 0)

template <typename T, typename Op> __device__ T block_reduce(T value, T start, Op op)
{
    __shared__ T partial[32];
    const unsigned here = __ballot_sync(0xffffffff, threadIdx.x < blockDim.x);
    for (int offset = 16; offset >= 1; offset >>= 1)
        value = op(value, __shfl_down_sync(here, value, offset));
    if (IS_FIRST_LANE)
        partial[threadIdx.x / warpSize] = value;
    __syncthreads();
    const unsigned warps = WARPS_OF(blockDim.x);
    const unsigned some = __ballot_sync(~0, threadIdx.x < warps);
    if (threadIdx.x < warps) {
        value = partial[threadIdx.x];
        for (unsigned offset = 1; offset < warps; offset *= 2) {
            const T other = __shfl_down_sync(some, value, offset);
            value = threadIdx.x + offset < warps ? op(value, other) : value;
        }
    }
    return value;
}

struct Max { template <typename T> __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

__global__ void largest(const int *in, int *out)
{
    const int found = block_reduce(in[blockIdx.x * blockDim.x + threadIdx.x], 0, Max());
    if (threadIdx.x == 0)
        out[blockIdx.x] = found;
}

int main()
{
    const int block = 224, blocks = 3;
    const std::vector<int> in = numbers(block * blocks, 100000);
    std::vector<int> expected(blocks);
    for (int b = 0; b < blocks; ++b)
        expected[b] = *std::max_element(in.begin() + b * block, in.begin() + (b + 1) * block);
    int *out = zeros<int>(blocks);
    largest<<<blocks, block>>>(to_device(in), out);
    return verdict(same(to_host(out, blocks), expected));
}
