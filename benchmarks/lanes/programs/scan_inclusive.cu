// Prefix sums within warps.
#include "check.h"

__device__ int scan(int value)
{
    const int lane = threadIdx.x & 0x1f;
    #pragma unroll
    for (int delta = 1; delta <= 16; delta <<= 1) {
        const int before = __shfl_up_sync(0xffffffff, value, delta, 32);
        if (lane >= delta)
            value += before;
    }
    return value;
}

__global__ void scans(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = scan(in[i]);
}

int main()
{
    const int n = 320;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = in[i] + (i % 32 ? expected[i - 1] : 0);
    int *out = zeros<int>(n);
    scans<<<2, 160>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
