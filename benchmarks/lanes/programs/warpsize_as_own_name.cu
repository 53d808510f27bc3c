// The program's own parameters, members, and variables named warpSize.
#include "check.h"

struct Geometry {
    int warpSize, warps;
};

__device__ int lane_of(int thread, int warpSize) { return thread % warpSize; }

__global__ void groups(const int *in, int *out, Geometry geometry)
{
    const int lane = lane_of(threadIdx.x, geometry.warpSize);
    int value = in[threadIdx.x];
    for (int lanes = geometry.warpSize / 2; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(0xffffffff, value, lanes);
    out[threadIdx.x] = value * 100 + lane;
}

static int threads(int warpSize, int warps) { return warpSize * warps; }

int main()
{
    const Geometry geometry{16, 8};
    const int n = threads(geometry.warpSize, geometry.warps);
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        expected[i] = i % 16;
        for (int j = i / 16 * 16; j < i / 16 * 16 + 16; ++j)
            expected[i] += 100 * in[j];
    }
    int *out = zeros<int>(n);
    groups<<<1, n>>>(to_device(in), out, geometry);
    return verdict(same(to_host(out, n), expected));
}
