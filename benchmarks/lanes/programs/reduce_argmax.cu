// The largest value and its place: two shuffles per step.
#include "check.h"

struct Best {
    float value;
    int index;
};

__device__ Best better(Best a, Best b)
{
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__global__ void argmax(const float *in, int *out)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    Best best{in[row * 100 + lane], lane};
    for (int column = lane + 32; column < 100; column += 32)
        best = better(best, Best{in[row * 100 + column], column});
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        Best other;
        other.value = __shfl_xor_sync(0xffffffff, best.value, lanes);
        other.index = __shfl_xor_sync(0xffffffff, best.index, lanes);
        best = better(best, other);
    }
    if (lane == 0)
        out[row] = best.index;
}

int main()
{
    const std::vector<float> in = numbers_as<float>(1200, 200);
    std::vector<int> expected(12);
    for (int row = 0; row < 12; ++row)
        for (int column = 1; column < 100; ++column)
            if (in[row * 100 + column] > in[row * 100 + expected[row]])
                expected[row] = column;
    int *out = zeros<int>(12);
    argmax<<<3, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 12), expected));
}
