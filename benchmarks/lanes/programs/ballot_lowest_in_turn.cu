// Lanes take turns by the lowest bit of a ballot, until none is left; the work of each is broadcast from its lane.
#include "check.h"

#define FULL_WARP_MASK 0xFFFFFFFF
#define CREATE_SHFL_MASK(mask, predicate) mask = __ballot_sync(FULL_WARP_MASK, (predicate))

__device__ __forceinline__ int popc_below(unsigned mask)
{
    unsigned lt;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    return __popc(mask & lt);
}

__global__ void expand(const int *begin, const int *end, int *out, int *length, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int first = 0, last = 0;
    if (i < n) {
        first = begin[i];
        last = end[i];
    }
    unsigned todo;
    CREATE_SHFL_MASK(todo, last - first >= 4);
    while (todo) {
        const int src = __ffs(todo) - 1;
        todo &= todo - 1;
        const int from = __shfl_sync(FULL_WARP_MASK, first, src), to = __shfl_sync(FULL_WARP_MASK, last, src);
        for (int at = from; at < to; at += 32) {
            const bool keeps = at + lane < to && (at + lane) % 3 != 0;
            const unsigned mask = __ballot_sync(FULL_WARP_MASK, keeps);
            int base;
            if (lane == 0)
                base = atomicAdd(length, __popc(mask));
            base = __shfl_sync(FULL_WARP_MASK, base, 0);
            if (keeps)
                out[base + popc_below(mask)] = at + lane;
        }
        if (lane == src)
            last = first;
    }
    const unsigned small = __ballot_sync(FULL_WARP_MASK, last > first);
    for (unsigned left = small; left; left ^= 1u << (31 - __clz(left))) {
        const int src = 31 - __clz(left);
        if (lane == src)
            for (int at = first; at < last; ++at)
                if (at % 3)
                    out[atomicAdd(length, 1)] = at;
        __syncwarp();
    }
}

int main()
{
    const int n = 150;
    const std::vector<int> sizes = numbers(n, 70);
    std::vector<int> begin(n), end(n), expected;
    for (int i = 0, at = 0; i < n; ++i) {
        begin[i] = at;
        end[i] = at += i % 3 ? sizes[i] : sizes[i] % 4;
    }
    for (int at = 0; at < end[n - 1]; ++at)
        if (at % 3)
            expected.push_back(at);
    int *out = zeros<int>(end[n - 1]), *length = zeros<int>(1);
    expand<<<2, 96>>>(to_device(begin), to_device(end), out, length, n);
    std::vector<int> found = to_host(out, expected.size());
    std::sort(found.begin(), found.end());
    return verdict(same(to_host(length, 1), {int(expected.size())}) && same(found, expected));
}
