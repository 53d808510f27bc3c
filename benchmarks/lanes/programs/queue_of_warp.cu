// A queue in shared memory for each warp: lanes push their results, and the warp drains it when full.
#include "check.h"

__global__ void primes(int *sum, int n)
{
    __shared__ int queue[4][64];
    const unsigned full = 0xffffffff;
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, length = 0, total = 0;
    for (int start = threadIdx.x - lane; start < n; start += blockDim.x) {
        int candidate = start + lane;
        bool wanted = candidate % 2 && candidate % 3 && candidate % 5;
        unsigned found = __ballot_sync(full, wanted);
        if (wanted)
            queue[warp][length + __popc(found & ((1u << lane) - 1))] = candidate;
        length += __popc(found);
        __syncwarp();
        if (length >= 32) {
            length -= 32;
            total += queue[warp][length + lane];
        }
        __syncwarp();
    }
    if (lane < length)
        total += queue[warp][lane];
    for (int offset = 16; offset > 0; offset >>= 1)
        total += __shfl_down_sync(full, total, offset);
    if (lane == 0)
        atomicAdd(sum, total);
}

int main()
{
    const int n = 2048;
    int expected = 0, *sum = zeros<int>(1);
    for (int i = 0; i < n; ++i)
        expected += i % 2 && i % 3 && i % 5 ? i : 0;
    primes<<<1, 128>>>(sum, n);
    return verdict(to_host(sum, 1)[0] == expected);
}
