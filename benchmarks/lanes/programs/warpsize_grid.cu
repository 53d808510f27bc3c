// The kernel assigns a warp to each row with warpSize; the host's grid has 32 threads per row.
#include "check.h"

__global__ void rows(const int *in, int *out, int n, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= n)
        return;
    int sum = 0;
    for (int column = lane; column < width; column += warpSize)
        sum += in[row * width + column];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        out[row] = sum;
}

int main()
{
    const int n = 21, width = 45;
    const std::vector<int> in = numbers(n * width, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n * width; ++i)
        expected[i / width] += in[i];
    int *out = zeros<int>(n);
    rows<<<(n * 32 + 127) / 128, 128>>>(to_device(in), out, n, width);
    return verdict(same(to_host(out, n), expected));
}
