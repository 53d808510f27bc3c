// One lane waits for another of its wavefront: no end.
#include "check.h"

__global__ void wait(int *out)
{
    volatile int *flag = out;
    if (threadIdx.x == 0)
        while (*flag == 0)
            ;
    else
        *flag = 1;
}

int main()
{
    int *out = device<int>(1);
    hipLaunchKernelGGL(wait, dim3(1), dim3(2), 0, 0, out);
    return verdict();
}
