// Accesses to memory of the lanes of a wavefront are in lockstep, those of wavefronts alternate.
#include "check.h"

__device__ int counter;

__global__ void lost_updates(int *out)
{
    counter = 0;
    counter = counter + 1; // all lanes read before one writes
    out[0] = counter;
}

__global__ void neighbours(int *out)
{
    __shared__ int s[64];
    const int lane = threadIdx.x;
    s[lane] = lane;
    s[lane] += s[(lane + 1) % warpSize];
    s[lane] += s[(lane + 2) % warpSize];
    out[lane] = s[lane];
}

__global__ void unwritten(int *out)
{
    __shared__ int s[1];
    out[blockIdx.x] = s[0];
    s[0] = 1;
}

__global__ void wait_for_the_next(int *out)
{
    __shared__ volatile int ready;
    const int wavefront = threadIdx.x / warpSize;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (wavefront == 0)
        while (ready == 0)
            ;
    else
        ready = 1;
    out[wavefront] = ready;
}

int main()
{
    int *out = device<int>(64);
    hipLaunchKernelGGL(lost_updates, dim3(1), dim3(warpSize), 0, 0, out);
    expect(out[0] == 1, "lanes read together and write together");
    hipLaunchKernelGGL(neighbours, dim3(1), dim3(warpSize), 0, 0, out);
    expect(out[0] == 0 + 1 + 2 + 3 && out[10] == 10 + 11 + 12 + 13, "each access is a step of its own");
    hipLaunchKernelGGL(unwritten, dim3(2), dim3(1), 0, 0, out);
    expect(out[0] == out[1] && out[1] != 1 && out[1] != 0, "shared memory starts as rubbish in every block");
    hipLaunchKernelGGL(wait_for_the_next, dim3(1), dim3(2 * warpSize), 0, 0, out);
    expect(out[0] == 1 && out[1] == 1, "a wavefront may wait for another");
    return verdict();
}
