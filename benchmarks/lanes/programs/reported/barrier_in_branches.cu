// The first warp fills a stage, the others use it: each branch has its own __syncthreads().
#include "../check.h"

__global__ void stages(const float *in, float *out, int count)
{
    __shared__ float stage[2][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        for (int i = 0; i < count; ++i) {
            stage[i & 1][lane] = in[i * 32 + lane] * 2;
            __syncthreads();
        }
    } else {
        for (int i = 0; i < count; ++i) {
            __syncthreads();
            out[((warp - 1) * count + i) * 32 + lane] = stage[i & 1][31 - lane] + warp;
        }
    }
}

int main()
{
    const int count = 4, warps = 3;
    const std::vector<float> in = numbers_as<float>(count * 32, 100);
    std::vector<float> expected(warps * count * 32);
    for (int w = 0; w < warps; ++w)
        for (int i = 0; i < count * 32; ++i)
            expected[w * count * 32 + i] = in[i / 32 * 32 + 31 - i % 32] * 2 + w + 1;
    float *out = zeros<float>(expected.size());
    stages<<<1, 32 * (warps + 1)>>>(to_device(in), out, count);
    return verdict(same(to_host(out, expected.size()), expected));
}
