// A barrier is one of the wavefront: half of it passes one for all its lanes.
#include "check.h"

__global__ void halves(int *out)
{
    if (threadIdx.x < 16) {
        __syncthreads();
        out[0] = 1;
    } else {
        __syncthreads();
        out[1] = out[0];
    }
}

int main()
{
    int *out = device<int>(2);
    hipLaunchKernelGGL(halves, dim3(1), dim3(warpSize), 0, 0, out);
    expect(out[1] == 1, "branches come one after the other, barriers and all");
    return verdict();
}
