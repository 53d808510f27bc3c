// Warps wait for their turn, the one with the lowest number last.
#include "../check.h"

__global__ void in_order(int *order)
{
    __shared__ volatile int turn;
    const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        turn = warps - 1;
    __syncthreads();
    while (turn != warp)
        ;
    if (threadIdx.x % 32 == 0) {
        order[warps - 1 - warp] = warp;
        __threadfence_block();
        turn = warp - 1;
    }
    __syncwarp();
}

int main()
{
    int *order = zeros<int>(4);
    in_order<<<1, 128>>>(order);
    return verdict(same(to_host(order, 4), {3, 2, 1, 0}));
}
