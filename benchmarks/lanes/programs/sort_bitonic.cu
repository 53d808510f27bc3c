// Each warp sorts 32 numbers in registers.
#include "check.h"

__global__ void sort_warps(int *values)
{
    const int lane = threadIdx.x & 31, at = blockIdx.x * blockDim.x + threadIdx.x;
    int value = values[at];
    for (int size = 2; size <= 32; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = __shfl_xor_sync(0xffffffff, value, stride);
            const bool ascending = (lane & size) == 0, lower = (lane & stride) == 0;
            value = ascending == lower ? min(value, other) : max(value, other);
        }
    }
    values[at] = value;
}

int main()
{
    const int n = 384;
    std::vector<int> in = numbers(n, 10000);
    int *values = to_device(in);
    sort_warps<<<2, 192>>>(values);
    for (int start = 0; start < n; start += 32)
        std::sort(in.begin() + start, in.begin() + start + 32);
    return verdict(same(to_host(values, n), in));
}
