// Wrappers with default arguments, as in deep learning frameworks.
#include "check.h"

template <typename T>
__device__ __forceinline__ T WARP_SHFL_XOR(T value, int laneMask, int width = warpSize, unsigned int mask = 0xffffffff)
{
    return __shfl_xor_sync(mask, value, laneMask, width);
}

template <typename T>
__device__ __forceinline__ T WARP_SHFL(T value, int srcLane, int width = warpSize, unsigned int mask = 0xffffffff)
{
    return __shfl_sync(mask, value, srcLane, width);
}

__device__ __forceinline__ unsigned int WARP_BALLOT(int predicate, unsigned int mask = 0xffffffff)
{
    return __ballot_sync(mask, predicate);
}

template <typename T> __inline__ __device__ T WarpReduceSum(T value)
{
#pragma unroll
    for (int offset = (warpSize >> 1); offset > 0; offset >>= 1)
        value += WARP_SHFL_XOR(value, offset);
    return value;
}

__global__ void norm(const int *in, int *out)
{
    const int value = in[threadIdx.x], sum = WarpReduceSum(value * value);
    out[threadIdx.x] = sum + WARP_SHFL(value, 9) + 7 * __popc(WARP_BALLOT(value > 12));
}

int main()
{
    const int n = 160;
    const std::vector<int> in = numbers(n, 25);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        expected[i] = in[i / 32 * 32 + 9];
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += in[j] * in[j] + 7 * (in[j] > 12);
    }
    int *out = zeros<int>(n);
    norm<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
