// Sync-free triangular solve: one warp per row, which waits for the rows that it needs.
#include "../check.h"

#define WARP_SIZE 32

__global__ void sptrsv(const int *row_ptr, const int *columns, const int *values, const int *b,
                       volatile int *x, volatile int *solved, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    const int lane = threadIdx.x & (WARP_SIZE - 1);
    if (row >= rows)
        return;
    int sum = 0;
    for (int j = row_ptr[row] + lane; j < row_ptr[row + 1]; j += WARP_SIZE) {
        const int column = columns[j];
        while (solved[column] != 1)
            __threadfence();
        sum += values[j] * x[column];
    }
    for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) {
        x[row] = b[row] - sum;
        __threadfence();
        solved[row] = 1;
    }
}

int main()
{
    const int rows = 24;
    std::vector<int> row_ptr(rows + 1), columns, values, b(rows), expected(rows);
    for (int i = 0; i < rows; ++i) {
        b[i] = i * 7 % 11;
        int sum = 0;
        for (int j = i > 3 ? i - 3 : 0; j < i; ++j) {
            columns.push_back(j);
            values.push_back(1 + (i + j) % 3);
            sum += values.back() * expected[j];
        }
        expected[i] = (b[i] - sum);
        row_ptr[i + 1] = int(columns.size());
    }
    int *x = zeros<int>(rows);
    sptrsv<<<(rows * 32 + 127) / 128, 128>>>(to_device(row_ptr), to_device(columns), to_device(values),
                                             to_device(b), x, zeros<int>(rows), rows);
    return verdict(same(to_host(x, rows), expected));
}
