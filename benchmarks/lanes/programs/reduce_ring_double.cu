// Sums that pass values around a warp as a ring: __shfl_sync with a computed lane.
#include "check.h"

__global__ void ring(const double *in, double *out)
{
    int lane = threadIdx.x & 31;
    double own = in[threadIdx.x], sum = own;
    for (int step = 1; step < 32; ++step)
        sum += __shfl_sync(0xffffffff, own, (lane + step) % 32) * step;
    out[threadIdx.x] = sum;
}

int main()
{
    const std::vector<double> in = numbers_as<double>(96, 1000);
    std::vector<double> expected(in);
    for (int i = 0; i < 96; ++i)
        for (int step = 1; step < 32; ++step)
            expected[i] += in[i / 32 * 32 + (i + step) % 32] * step;
    double *out = zeros<double>(96);
    ring<<<1, 96>>>(to_device(in), out);
    return verdict(same(to_host(out, 96), expected));
}
