// Wavefront solve of a recurrence: each warp waits, by functions of a class, for the row above it.
#include "../check.h"

struct Semaphore {
    int *flags;
    __device__ void wait(int i, int value) const
    {
        if ((threadIdx.x & 31) == 0)
            while (atomicAdd(&flags[i], 0) < value)
                ;
        __syncwarp();
    }
    __device__ void post(int i) const
    {
        __threadfence();
        __syncwarp();
        if ((threadIdx.x & 31) == 0)
            atomicAdd(&flags[i], 1);
    }
};

__global__ void sweep(Semaphore ready, volatile int *grid, int rows, int columns)
{
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5) + 1, lane = threadIdx.x & 31;
    for (int c = 0; c < columns; ++c) {
        ready.wait(row - 1, c + 1);
        grid[(row * columns + c) * 32 + lane] += grid[((row - 1) * columns + c) * 32 + (lane + 1) % 32];
        ready.post(row);
    }
}

int main()
{
    const int rows = 8, columns = 3, n = (rows + 1) * columns * 32;
    std::vector<int> grid = numbers(n, 10), expected = grid, flags(rows + 1);
    flags[0] = columns;
    for (int r = 1; r <= rows; ++r)
        for (int i = 0; i < columns * 32; ++i)
            expected[r * columns * 32 + i] += expected[(r - 1) * columns * 32 + i / 32 * 32 + (i % 32 + 1) % 32];
    int *at = to_device(grid);
    sweep<<<rows / 4, 128>>>(Semaphore{to_device(flags)}, at, rows, columns);
    return verdict(same(to_host(at, n), expected));
}
