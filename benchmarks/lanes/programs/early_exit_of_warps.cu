// Whole warps without a row leave; the others use the full mask.
#include "check.h"

__global__ void rows(const float *in, float *out, int count, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= count)
        return;
    float sum = 0;
    for (int column = lane; column < width; column += 32)
        sum += in[row * width + column];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        out[row] = sum;
}

int main()
{
    const int count = 13, width = 77;
    const std::vector<float> in = numbers_as<float>(count * width, 100);
    std::vector<float> expected(count);
    for (int i = 0; i < count * width; ++i)
        expected[i / width] += in[i];
    float *out = zeros<float>(count);
    rows<<<(count * 32 + 127) / 128, 128>>>(to_device(in), out, count, width);
    return verdict(same(to_host(out, count), expected));
}
