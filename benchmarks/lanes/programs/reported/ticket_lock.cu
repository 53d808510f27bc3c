// A ticket lock as a class, taken by the first lane of each warp.
#include "../check.h"

class TicketLock {
public:
    __device__ void lock()
    {
        const unsigned ticket = atomicAdd(&next_, 1u);
        while (atomicAdd(&serving_, 0u) != ticket) {
        }
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicAdd(&serving_, 1u);
    }

private:
    unsigned next_ = 0, serving_ = 0;
};

__global__ void append(TicketLock *lock, int *list, int *length, int rounds)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int round = 0; round < rounds; ++round) {
        if (lane == 0)
            lock->lock();
        __syncwarp();
        const int at = *(volatile int *)length;
        list[at + lane] = warp + 1;
        __syncwarp();
        if (lane == 0) {
            *(volatile int *)length = at + 32;
            lock->unlock();
        }
        __syncwarp();
    }
}

int main()
{
    const int rounds = 3, warps = 4, n = rounds * warps * 32;
    int *list = zeros<int>(n), *length = zeros<int>(1);
    append<<<1, warps * 32>>>(reinterpret_cast<TicketLock *>(zeros<unsigned>(2)), list, length, rounds);
    std::vector<int> found = to_host(list, n), expected;
    std::sort(found.begin(), found.end());
    for (int i = 0; i < n; ++i)
        expected.push_back(i / (rounds * 32) + 1);
    return verdict(same(found, expected));
}
