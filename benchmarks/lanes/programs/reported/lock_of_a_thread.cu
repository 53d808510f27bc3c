// Every thread of a warp takes the lock in turn: it needs the progress of single threads since Volta.
#include "../check.h"

__global__ void count(int *lock, volatile int *total)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    *total += 1;
    __threadfence();
    atomicExch(lock, 0);
}

int main()
{
    int *total = zeros<int>(1);
    count<<<1, 64>>>(zeros<int>(1), total);
    return verdict(to_host(total, 1)[0] == 64);
}
