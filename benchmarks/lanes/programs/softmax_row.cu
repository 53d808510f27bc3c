// One warp per row: the maximum, the sum, then each share of it (powers of two, to be exact).
#include "check.h"

template <typename F> __device__ float over_warp(float value, F combine)
{
    for (int mask = 16; mask >= 1; mask /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffff, value, mask, 32));
    return value;
}

__global__ void softmax(const float *in, float *out, int width)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    float largest = -1e30f, sum = 0;
    for (int column = threadIdx.x; column < width; column += 32)
        largest = fmaxf(largest, in[row * width + column]);
    largest = over_warp(largest, [](float a, float b) { return fmaxf(a, b); });
    for (int column = threadIdx.x; column < width; column += 32)
        sum += exp2f(in[row * width + column] - largest);
    sum = over_warp(sum, [](float a, float b) { return a + b; });
    for (int column = threadIdx.x; column < width; column += 32)
        out[row * width + column] = exp2f(in[row * width + column] - largest) * 64 + sum;
}

int main()
{
    const int rows = 8, width = 70;
    const std::vector<float> in = numbers_as<float>(rows * width, 6);
    std::vector<float> expected(rows * width);
    for (int row = 0; row < rows; ++row) {
        const float *at = &in[row * width], largest = *std::max_element(at, at + width);
        float sum = 0;
        for (int column = 0; column < width; ++column)
            sum += std::exp2(at[column] - largest);
        for (int column = 0; column < width; ++column)
            expected[row * width + column] = std::exp2(at[column] - largest) * 64 + sum;
    }
    float *out = zeros<float>(rows * width);
    softmax<<<2, dim3(32, 4)>>>(to_device(in), out, width);
    return verdict(same(to_host(out, rows * width), expected));
}
