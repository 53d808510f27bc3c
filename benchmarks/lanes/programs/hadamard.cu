// Walsh-Hadamard transform: a butterfly of shuffles.
#include "check.h"

template <int N> __device__ void butterfly(float &value, int lane)
{
    #pragma unroll
    for (int step = 1; step < N; step <<= 1) {
        const float other = __shfl_xor_sync(0xffffffff, value, step, N);
        value = lane & step ? other - value : other + value;
    }
}

__global__ void transform(float *values)
{
    float value = values[threadIdx.x];
    butterfly<32>(value, threadIdx.x & 31);
    values[threadIdx.x] = value;
}

int main()
{
    const int n = 96;
    const std::vector<float> in = numbers_as<float>(n, 100);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 32; ++j)
            expected[i] += in[i / 32 * 32 + j] * (__builtin_popcount(i % 32 & j) % 2 ? -1 : 1);
    float *values = to_device(in);
    transform<<<1, n>>>(values);
    return verdict(same(to_host(values, n), expected));
}
