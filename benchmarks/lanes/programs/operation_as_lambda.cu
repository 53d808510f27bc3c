// The host passes the operation that combines lanes.
#include "check.h"

template <typename T, typename Op> __device__ T warp_combine(T value, Op op)
{
    for (int lanes = 16; lanes; lanes >>= 1)
        value = op(value, __shfl_xor_sync(0xffffffff, value, lanes));
    return value;
}

struct Gcd {
    __host__ __device__ int operator()(int a, int b) const
    {
        while (b) {
            const int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
};

template <typename Op> __global__ void combine(const int *in, int *out, Op op)
{
    const int result = warp_combine(in[threadIdx.x], op);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = result;
}

int main()
{
    std::vector<int> in = numbers(128, 100), expected(4);
    for (int i = 0; i < 128; ++i) {
        in[i] = (in[i] + 1) * (i / 32 + 2);
        expected[i / 32] = Gcd()(in[i], expected[i / 32]);
    }
    int *out = zeros<int>(4);
    combine<<<1, 128>>>(to_device(in), out, Gcd());
    return verdict(same(to_host(out, 4), expected));
}
