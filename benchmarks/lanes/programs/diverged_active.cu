// Lanes on a branch that depends on data find each other with __activemask.
#include "check.h"

__global__ void count_odd(const int *in, int *count, int *seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 1) {
        unsigned active = __activemask();
        int leader = __ffs(active) - 1;
        if ((threadIdx.x & 31) == leader)
            atomicAdd(count, __popc(active));
        seen[i] = 1;
    }
}

int main()
{
    const std::vector<int> in = numbers(500 * 2, 100);
    int expected = 0;
    for (int value : in)
        expected += value & 1;
    int *count = zeros<int>(1);
    count_odd<<<10, 100>>>(to_device(in), count, zeros<int>(1000));
    return verdict(to_host(count, 1)[0] == expected);
}
