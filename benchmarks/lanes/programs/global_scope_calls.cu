// Warp functions called with a leading `::` inside namespaces.
#include "check.h"

namespace lib {
namespace detail {
template <typename T> __device__ T from(T value, int lane) { return ::__shfl_sync(0xffffffffu, value, lane); }
__device__ bool agree(bool predicate) { return ::__all_sync(0xffffffffu, predicate) != 0; }
} // namespace detail
__device__ void meet() { ::__syncwarp(); }
} // namespace lib

__global__ void ask(const int *in, int *out)
{
    const int value = lib::detail::from(in[threadIdx.x], 30);
    lib::meet();
    out[threadIdx.x] = 2 * value + lib::detail::agree(in[threadIdx.x] > 3);
}

int main()
{
    const int n = 128;
    std::vector<int> in = numbers(n, 100), expected(n);
    for (int i = 64; i < 96; ++i)
        in[i] += 4;
    for (int i = 0; i < n; ++i) {
        int all = 1;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            all = all && in[j] > 3;
        expected[i] = 2 * in[i / 32 * 32 + 30] + all;
    }
    int *out = zeros<int>(n);
    ask<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
