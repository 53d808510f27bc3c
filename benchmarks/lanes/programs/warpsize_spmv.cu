// Sparse matrix times vector, one warp per row: the host launches 32 threads per row.
#include "check.h"

__global__ void multiply(int rows, const int *start, const int *column, const float *value, const float *x,
                         float *y)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = thread & (warpSize - 1), warp = thread / warpSize;
    const int warps = gridDim.x * blockDim.x / warpSize;
    for (int row = warp; row < rows; row += warps) {
        float sum = 0;
        for (int i = start[row] + lane; i < start[row + 1]; i += warpSize)
            sum += value[i] * x[column[i]];
        for (int lanes = warpSize / 2; lanes > 0; lanes /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, lanes);
        if (lane == 0)
            y[row] = sum;
    }
}

int main()
{
    const int rows = 40, columns = 64;
    const std::vector<int> lengths = numbers(rows, 70);
    std::vector<int> start(1);
    for (int length : lengths)
        start.push_back(start.back() + length);
    const std::vector<int> column = numbers(start[rows], columns);
    const std::vector<float> value = numbers_as<float>(start[rows], 9), x = numbers_as<float>(columns, 7);
    std::vector<float> expected(rows);
    for (int row = 0; row < rows; ++row)
        for (int i = start[row]; i < start[row + 1]; ++i)
            expected[row] += value[i] * x[column[i]];
    float *y = zeros<float>(rows);
    multiply<<<(16 * 32) / 64, 64>>>(rows, to_device(start), to_device(column), to_device(value),
                                     to_device(x), y);
    return verdict(same(to_host(y, rows), expected));
}
