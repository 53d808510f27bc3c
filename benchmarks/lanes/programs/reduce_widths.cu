// Segments of 2 to 16 lanes, given by the last argument of a shuffle.
#include "check.h"

template <int Width> __global__ void sums(const int *in, int *out)
{
    int value = in[threadIdx.x];
    for (int offset = Width / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset, Width);
    if (threadIdx.x % Width == 0)
        out[threadIdx.x / Width] = value;
}

template <int Width> bool right(const std::vector<int> &in)
{
    std::vector<int> expected(in.size() / Width);
    for (std::size_t i = 0; i < in.size(); ++i)
        expected[i / Width] += in[i];
    int *out = zeros<int>(expected.size());
    sums<Width><<<1, in.size()>>>(to_device(in), out);
    return same(to_host(out, expected.size()), expected);
}

int main()
{
    const std::vector<int> in = numbers(160, 1000);
    return verdict(right<2>(in) && right<4>(in) && right<8>(in) && right<16>(in) && right<32>(in));
}
