// Matrix times vector in float4, one warp per row.
#include "check.h"

__global__ void multiply(const float4 *matrix, const float4 *x, float *y, int width)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = threadIdx.x; i < width / 4; i += warpSize) {
        const float4 a = matrix[row * (width / 4) + i], b = x[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    #pragma unroll
    for (int mask = warpSize / 2; mask > 0; mask >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (threadIdx.x == 0)
        y[row] = sum;
}

int main()
{
    const int rows = 8, width = 200;
    const std::vector<float> matrix = numbers_as<float>(rows * width, 10), x = numbers_as<float>(width, 10);
    std::vector<float> expected(rows);
    for (int i = 0; i < rows * width; ++i)
        expected[i / width] += matrix[i] * x[i % width];
    float *y = zeros<float>(rows);
    multiply<<<rows / 4, dim3(32, 4)>>>((const float4 *)to_device(matrix), (const float4 *)to_device(x), y, width);
    return verdict(same(to_host(y, rows), expected));
}
