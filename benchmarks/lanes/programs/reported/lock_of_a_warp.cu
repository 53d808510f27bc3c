// A lock that warps take: the second warp of a wavefront spins while the first cannot go on.
#include "../check.h"

__device__ int lock;

__global__ void count(int *total)
{
    const int lane = threadIdx.x % 32;
    if (lane == 0)
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
    __syncwarp();
    if (lane == 0)
        *(volatile int *)total += 1;
    __threadfence();
    __syncwarp();
    if (lane == 0)
        atomicExch(&lock, 0);
}

int main()
{
    int *total = zeros<int>(1);
    count<<<2, 128>>>(total);
    return verdict(to_host(total, 1)[0] == 8);
}
