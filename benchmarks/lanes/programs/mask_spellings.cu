// All the ways to write a full mask.
#include "check.h"

#define FULL_MASK 0xffffffff
constexpr unsigned kAll = 0xFFFFFFFFu;
const unsigned int everyone = ~0u;
enum : unsigned { EVERY_LANE = 0xffffffffu };
static const auto AS_INT = -1;

__global__ void sums(const int *in, int *out)
{
    int value = in[threadIdx.x];
    value += __shfl_xor_sync(FULL_MASK, value, 1);
    value += __shfl_xor_sync(kAll, value, 2);
    value += __shfl_xor_sync(everyone, value, 4);
    value += __shfl_xor_sync(EVERY_LANE, value, 8);
    value += __shfl_xor_sync(AS_INT, value, 16);
    value += __shfl_xor_sync(UINT_MAX, value, 16);
    value += __shfl_xor_sync((unsigned)-1, value, 16);
    value += __shfl_xor_sync(0xffffffffffffffff, value, 16);
    value += __shfl_xor_sync(037777777777, value, 16);
    value += __shfl_xor_sync(4294967295u, value, 16);
    out[threadIdx.x] = value;
}

int main()
{
    const std::vector<int> in = numbers(128, 100);
    std::vector<int> expected(128);
    for (int i = 0; i < 128; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += in[j] * 32;
    int *out = zeros<int>(128);
    sums<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 128), expected));
}
