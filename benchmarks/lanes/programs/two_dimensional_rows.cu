// Blocks of 32 by 5: a row of threads is a warp.
#include "check.h"

__global__ void means(const int *in, float *out, int width)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    int sum = 0, count = 0;
    for (int column = threadIdx.x; column < width; column += blockDim.x) {
        sum += in[row * width + column];
        count += __popc(__ballot_sync(__activemask(), in[row * width + column] == 0));
    }
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    count = __shfl_sync(0xffffffff, count, 0);
    if (threadIdx.x == 0)
        out[row] = sum / float(width - count);
}

int main()
{
    const int rows = 15, width = 90;
    const std::vector<int> in = numbers(rows * width, 10);
    std::vector<float> expected(rows);
    for (int row = 0; row < rows; ++row) {
        int sum = 0, count = 0;
        for (int column = 0; column < width; ++column) {
            sum += in[row * width + column];
            count += in[row * width + column] == 0;
        }
        expected[row] = sum / float(width - count);
    }
    float *out = zeros<float>(rows);
    means<<<rows / 5, dim3(32, 5)>>>(to_device(in), out, width);
    return verdict(same(to_host(out, rows), expected));
}
