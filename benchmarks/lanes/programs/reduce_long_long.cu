// Maxima of 64 bits.
#include "check.h"

__global__ void largest(const long long *in, long long *out)
{
    long long value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = 16; offset; offset >>= 1) {
        long long other = __shfl_down_sync(0xffffffff, value, offset);
        value = other > value ? other : value;
    }
    if (threadIdx.x % 32 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = value;
}

int main()
{
    std::vector<long long> in = numbers_as<long long>(256, 1 << 20);
    std::vector<long long> expected(8, 0);
    for (int i = 0; i < 256; ++i) {
        in[i] *= 1ll << 30;
        expected[i / 32] = in[i] > expected[i / 32] ? in[i] : expected[i / 32];
    }
    long long *out = zeros<long long>(8);
    largest<<<2, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 8), expected));
}
