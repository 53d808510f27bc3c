// Templates over the type, the operation, and the width.
#include "check.h"

struct Plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Largest {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename Op, int Width = 32, typename T> __device__ __forceinline__ T all_reduce(T value, Op op)
{
    #pragma unroll
    for (int lanes = Width / 2; lanes > 0; lanes >>= 1)
        value = op(value, __shfl_xor_sync(unsigned(-1), value, lanes, Width));
    return value;
}

__global__ void both(const double *in, double *out)
{
    const double sum = all_reduce(in[threadIdx.x], Plus());
    const double largest = all_reduce<Largest, 8>(in[threadIdx.x], Largest());
    out[threadIdx.x] = sum * 1000 + largest;
}

int main()
{
    const std::vector<double> in = numbers_as<double>(96, 1000);
    std::vector<double> expected(96);
    for (int i = 0; i < 96; ++i) {
        double largest = 0;
        for (int j = 0; j < 32; ++j)
            expected[i] += in[i / 32 * 32 + j] * 1000;
        for (int j = 0; j < 8; ++j)
            largest = std::max(largest, in[i / 8 * 8 + j]);
        expected[i] += largest;
    }
    double *out = zeros<double>(96);
    both<<<1, 96>>>(to_device(in), out);
    return verdict(same(to_host(out, 96), expected));
}
