// Stream compaction; the warp size is one of several constants in a declaration.
#include "check.h"

const int threads = 128, w = 32, last = w - 1;

__global__ void compact(const float *in, int *out, int *count)
{
    const int t = threadIdx.x, lane = t % w, i = blockIdx.x * threads + t;
    const unsigned below = ~0u >> (last - lane) >> 1;
    const unsigned kept = __ballot_sync(~0u, in[i] > 0.5f);
    int base = 0;
    if (lane == last)
        base = atomicAdd(count, __popc(kept));
    base = __shfl_sync(~0u, base, last);
    if (in[i] > 0.5f)
        out[base + __popc(kept & below)] = i;
}

int main()
{
    const int n = 512;
    std::vector<float> in = numbers_as<float>(n, 100);
    long expected = 0, found = 0;
    int size = 0;
    for (int i = 0; i < n; ++i) {
        in[i] /= 100;
        expected += in[i] > 0.5f ? i : 0;
        size += in[i] > 0.5f;
    }
    int *out = zeros<int>(n), *count = zeros<int>(1);
    compact<<<n / threads, threads>>>(to_device(in), out, count);
    for (int index : to_host(out, n))
        found += index;
    return verdict(found == expected && to_host(count, 1)[0] == size);
}
