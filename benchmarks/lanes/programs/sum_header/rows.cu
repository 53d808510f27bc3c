#include "rows.h"
#include "warp_sum.cuh"

__global__ void rows(const float *in, float *out, int width)
{
    const int lane = threadIdx.x % kWarp, row = blockIdx.x * kRows + threadIdx.x / kWarp;
    float sum = 0;
    for (int column = lane; column < width; column += kWarp)
        sum += in[row * width + column];
    sum = warp_sum(sum);
    if (lane == 0)
        out[row] = sum;
}

void sum_rows(const float *in, float *out, int count, int width)
{
    rows<<<count / kRows, kRows * kWarp>>>(in, out, width);
}
