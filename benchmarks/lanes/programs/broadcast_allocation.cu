// The first lane allocates space for its warp and broadcasts the offset.
#include "check.h"

__global__ void allocate(const int *wanted, unsigned long long *top, int *owner)
{
    int lane = threadIdx.x & 31, size = wanted[threadIdx.x], before = size;
    for (int delta = 1; delta < 32; delta *= 2) {
        int other = __shfl_up_sync(0xffffffff, before, delta);
        if (lane >= delta)
            before += other;
    }
    unsigned long long base = 0;
    if (lane == 31)
        base = atomicAdd(top, (unsigned long long)before);
    base = __shfl_sync(0xffffffff, base, 31);
    for (int i = 0; i < size; ++i)
        owner[base + before - size + i] = threadIdx.x;
}

int main()
{
    const std::vector<int> wanted = numbers(128, 5);
    int total = 0;
    for (int size : wanted)
        total += size;
    int *owner = to_device(std::vector<int>(total, -1));
    unsigned long long *top = zeros<unsigned long long>(1);
    allocate<<<1, 128>>>(to_device(wanted), top, owner);
    std::vector<int> counts(128);
    bool passed = int(to_host(top, 1)[0]) == total;
    for (int thread : to_host(owner, total))
        if (thread >= 0)
            ++counts[thread];
    return verdict(passed && same(counts, wanted));
}
