// Macros over the functions of old and new CUDA, with masks and widths as their arguments, in a table of functions.
#include "check.h"

#if defined(CUDART_VERSION) && CUDART_VERSION < 9000
#define WARP_OP(name, ...) __##name(__VA_ARGS__)
#else
#define WARP_OP(name, ...) __##name##_sync(0xffffffff, __VA_ARGS__)
#endif
#define LANE_OF(t) ((t) & 0x1F)
#define WARP_OF(t) ((t) >> 0x5)
#define FOR_WARP(i) for (int i = (32 >> 1); i >= 1; i = i >> 1)
#define REDUCER(NAME, OP, T)                                                        \
    __device__ T NAME(T v)                                                          \
    {                                                                               \
        FOR_WARP(i) { const T o = WARP_OP(shfl_xor, v, i); v = OP(v, o); }          \
        return v;                                                                   \
    }
#define ADD(a, b) ((a) + (b))
#define LARGER(a, b) ((a) < (b) ? (b) : (a))
REDUCER(sum_of, ADD, int)
REDUCER(max_of, LARGER, double)

__global__ void apply(const int *in, int *sums, double *largest, unsigned *bits)
{
    const int t = threadIdx.x;
    const int sum = sum_of(in[t]);
    const double top = max_of(in[t] / 4.0);
    const unsigned set = WARP_OP(ballot, in[t] % 3 == 0);
    if (LANE_OF(t) == 0x1F) {
        sums[WARP_OF(t)] = sum;
        largest[WARP_OF(t)] = top;
        bits[WARP_OF(t)] = WARP_OP(any, set) ? set : 0;
    }
}

int main()
{
    const int n = 160, warps = 5;
    const std::vector<int> in = numbers(n, 999);
    std::vector<int> sums(warps);
    std::vector<double> largest(warps);
    std::vector<unsigned> bits(warps);
    for (int i = 0; i < n; ++i) {
        sums[i / 32] += in[i];
        largest[i / 32] = std::max(largest[i / 32], in[i] / 4.0);
        bits[i / 32] |= unsigned(in[i] % 3 == 0) << i % 32;
    }
    int *a = zeros<int>(warps);
    double *b = zeros<double>(warps);
    unsigned *c = zeros<unsigned>(warps);
    apply<<<1, n>>>(to_device(in), a, b, c);
    return verdict(same(to_host(a, warps), sums) && same(to_host(b, warps), largest) && same(to_host(c, warps), bits));
}
