// One half of a warp writes for the other, each half behind its own __syncwarp().
#include "../check.h"

__global__ void handed_over(const int *in, int *out)
{
    __shared__ int staged[4][16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane >= 16) {
        __syncwarp();
        out[threadIdx.x] = staged[warp][31 - lane];
    } else {
        staged[warp][lane] = in[threadIdx.x];
        __syncwarp();
        out[threadIdx.x] = -1;
    }
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n, -1);
    for (int i = 0; i < n; ++i)
        if (i % 32 >= 16)
            expected[i] = in[i / 32 * 32 + 31 - i % 32];
    int *out = zeros<int>(n);
    handed_over<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
