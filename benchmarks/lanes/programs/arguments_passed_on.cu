// A variadic template passes its arguments on to a warp function.
#include "check.h"

template <typename... A> __device__ auto shuffle_down(A... arguments)
{
    return __shfl_down_sync(0xffffffff, arguments...);
}

template <typename First, typename... A> __device__ bool any_of(First first, A... others)
{
    bool any = __any_sync(0xffffffff, first);
    if constexpr (sizeof...(others) > 0)
        any |= any_of(others...);
    return any;
}

__global__ void mix(const int *in, int *out)
{
    const int value = in[threadIdx.x];
    out[threadIdx.x] = shuffle_down(value, 1u) + 1000 * shuffle_down(value, 2u, 4) +
                       1000000 * any_of(value == 1, value == 2, value == 3);
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 60);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int *warp = &in[i / 32 * 32];
        const bool any = std::any_of(warp, warp + 32, [](int value) { return value >= 1 && value <= 3; });
        expected[i] = in[i % 32 < 31 ? i + 1 : i] + 1000 * in[i % 4 < 2 ? i + 2 : i] + 1000000 * any;
    }
    int *out = zeros<int>(n);
    mix<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
