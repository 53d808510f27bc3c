// Blocks of 8 by 8: four rows of threads form a warp; the width keeps shuffles within a row.
#include "check.h"

__global__ void transpose_and_sum(const int *in, int *rows, int *columns)
{
    const int x = threadIdx.x, y = threadIdx.y, lane = (y * 8 + x) & 31;
    int row = in[y * 8 + x], column = row;
    for (int lanes = 4; lanes > 0; lanes >>= 1)
        row += __shfl_xor_sync(0xffffffff, row, lanes, 8);
    for (int lanes = 8; lanes < 32; lanes <<= 1)
        column += __shfl_xor_sync(0xffffffff, column, lanes);
    if (x == 0)
        rows[y] = row;
    if (lane < 8)
        atomicAdd(&columns[lane], column);
}

int main()
{
    const std::vector<int> in = numbers(64, 100);
    std::vector<int> rows(8), columns(8);
    for (int i = 0; i < 64; ++i) {
        rows[i / 8] += in[i];
        columns[i % 8] += in[i];
    }
    int *found_rows = zeros<int>(8), *found_columns = zeros<int>(8);
    transpose_and_sum<<<1, dim3(8, 8)>>>(to_device(in), found_rows, found_columns);
    return verdict(same(to_host(found_rows, 8), rows) && same(to_host(found_columns, 8), columns));
}
