// The functions without a mask, where CUDA still has them.
#include "check.h"

#if CUDART_VERSION < 9000 || defined(OLD_WARP_FUNCTIONS)
__device__ int down(int value, int delta) { return __shfl_down(value, delta); }
__device__ int first(int value) { return __shfl(value, 0); }
__device__ unsigned votes(bool predicate) { return __ballot(predicate); }
__device__ bool agreed(bool predicate) { return __all(predicate); }
#else
__device__ int down(int value, int delta) { return __shfl_down_sync(0xffffffff, value, delta); }
__device__ int first(int value) { return __shfl_sync(0xffffffff, value, 0); }
__device__ unsigned votes(bool predicate) { return __ballot_sync(0xffffffff, predicate); }
__device__ bool agreed(bool predicate) { return __all_sync(0xffffffff, predicate); }
#endif

__global__ void sums(const int *in, int *out)
{
    int value = in[threadIdx.x];
    for (int delta = 16; delta > 0; delta /= 2)
        value += down(value, delta);
    out[threadIdx.x] = first(value) * 100 + __popc(votes(in[threadIdx.x] > 20)) * 2 + agreed(in[threadIdx.x] > 1);
}

int main()
{
    std::vector<int> in = numbers(160, 100), expected(160);
    for (int i = 0; i < 160; ++i)
        in[i] += i / 32 == 2 ? 2 : 0;
    for (int i = 0; i < 160; ++i) {
        bool all = true;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            expected[i] += in[j] * 100 + (in[j] > 20) * 2;
            all = all && in[j] > 1;
        }
        expected[i] += all;
    }
    int *out = zeros<int>(160);
    sums<<<1, 160>>>(to_device(in), out);
    return verdict(same(to_host(out, 160), expected));
}
