// Macros for the functions, as in older projects.
#include "check.h"

#if CUDART_VERSION >= 9000
#define SHFL_DOWN(value, delta) __shfl_down_sync(0xffffffff, value, delta)
#define SHFL_XOR(value, lanes) __shfl_xor_sync(0xffffffff, value, lanes)
#define BALLOT(predicate) __ballot_sync(0xffffffff, predicate)
#else
#define SHFL_DOWN(value, delta) __shfl_down(value, delta)
#define SHFL_XOR(value, lanes) __shfl_xor(value, lanes)
#define BALLOT(predicate) __ballot(predicate)
#endif

__global__ void spread(const int *in, int *out)
{
    int value = in[threadIdx.x], least = value, last = value;
    for (int step = 16; step > 0; step /= 2) {
        least = min(least, SHFL_XOR(least, step));
        last = max(last, SHFL_DOWN(last, step));
    }
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = last - least;
    unsigned at = BALLOT(value == least);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] += 1000 * __popc(at);
}

int main()
{
    const std::vector<int> in = numbers(256, 100);
    std::vector<int> expected(8);
    for (int warp = 0; warp < 8; ++warp) {
        const auto from = in.begin() + warp * 32, to = from + 32;
        const int least = *std::min_element(from, to);
        expected[warp] = *std::max_element(from, to) - least + 1000 * int(std::count(from, to, least));
    }
    int *out = zeros<int>(8);
    spread<<<1, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 8), expected));
}
