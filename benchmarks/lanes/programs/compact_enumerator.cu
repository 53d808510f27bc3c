// Stream compaction; the warp size is an enumerator.
#include "check.h"

enum { Bits = 5, Warp = 1 << Bits, LaneMask = Warp - 1 };

__global__ void compact(const int *in, int *out, int *count, int n)
{
    __shared__ int base[256 / Warp];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & LaneMask;
    const bool keep = i < n && in[i] % 3 == 0;
    const unsigned kept = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        base[threadIdx.x >> Bits] = atomicAdd(count, __popc(kept));
    __syncwarp();
    if (keep)
        out[base[threadIdx.x >> Bits] + __popc(kept & ((1u << lane) - 1))] = in[i];
}

int main()
{
    const int n = 700;
    const std::vector<int> in = numbers(n, 1000);
    long expected = 0, found = 0, count = 0;
    for (int value : in) {
        expected += value % 3 == 0 ? long(value) * value : 0;
        count += value % 3 == 0;
    }
    int *out = zeros<int>(n), *size = zeros<int>(1);
    compact<<<3, 256>>>(to_device(in), out, size, n);
    const int kept = to_host(size, 1)[0];
    for (int value : to_host(out, n))
        found += long(value) * value;
    return verdict(kept == count && found == expected);
}
