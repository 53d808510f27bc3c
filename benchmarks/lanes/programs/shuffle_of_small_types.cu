// Shuffles of bytes, shorts, bools, and volatile variables.
#include "check.h"

__global__ void shuffle(const int *in, int *out)
{
    volatile __shared__ int shared[96];
    shared[threadIdx.x] = in[threadIdx.x];
    const signed char byte = in[threadIdx.x] - 50;
    const short number = in[threadIdx.x] * 300;
    int result = __shfl_down_sync(0xffffffff, byte, 1) * 1000;
    result += __shfl_up_sync(0xffffffff, number, 2);
    result += __shfl_xor_sync(0xffffffff, in[threadIdx.x] > 50, 4) << 20;
    result += __shfl_sync(0xffffffff, shared[threadIdx.x], 8) << 21;
    out[threadIdx.x] = result;
}

int main()
{
    const int n = 96;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int lane = i % 32, *warp = &in[i - lane];
        expected[i] = (warp[lane < 31 ? lane + 1 : lane] - 50) * 1000 + warp[lane > 1 ? lane - 2 : lane] * 300;
        expected[i] += (int(warp[lane ^ 4] > 50) << 20) + (warp[8] << 21);
    }
    int *out = zeros<int>(n);
    shuffle<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
