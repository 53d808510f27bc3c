// Sync-free triangular solve: one thread per row, which waits for the rows that it needs.
#include "../check.h"

__global__ void solve(const int *row_ptr, const int *columns, const int *values, volatile int *x,
                      volatile int *ready, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int sum = x[row];
    for (int j = row_ptr[row]; j < row_ptr[row + 1]; ++j) {
        while (ready[columns[j]] == 0) {
        }
        sum -= values[j] * x[columns[j]];
    }
    x[row] = sum;
    __threadfence();
    ready[row] = 1;
}

int main()
{
    const int rows = 50;
    std::vector<int> row_ptr(rows + 1), columns, values, x = numbers(rows, 10), expected = x;
    for (int i = 0; i < rows; ++i) {
        for (int j = i / 8 * 8; j < i; j += 3) {
            columns.push_back(j);
            values.push_back(1 + (i + j) % 3);
            expected[i] -= values.back() * expected[j];
        }
        row_ptr[i + 1] = int(columns.size());
    }
    int *at = to_device(x);
    solve<<<1, 64>>>(to_device(row_ptr), to_device(columns), to_device(values), at, zeros<int>(rows), rows);
    return verdict(same(to_host(at, rows), expected));
}
