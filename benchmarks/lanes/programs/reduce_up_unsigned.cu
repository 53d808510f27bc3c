// The last lane of a warp gets the product of all lanes with __shfl_up_sync.
#include "check.h"

__global__ void products(const unsigned *in, unsigned *out)
{
    const unsigned lane = threadIdx.x % 32u;
    unsigned value = in[threadIdx.x];
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const unsigned before = __shfl_up_sync(~0u, value, delta);
        if (lane >= delta)
            value *= before;
    }
    if (lane == 31)
        out[threadIdx.x / 32] = value;
}

int main()
{
    const std::vector<unsigned> in = numbers_as<unsigned>(192, 1000);
    std::vector<unsigned> expected(6, 1);
    for (int i = 0; i < 192; ++i)
        expected[i / 32] *= in[i];
    unsigned *out = zeros<unsigned>(6);
    products<<<1, 192>>>(to_device(in), out);
    return verdict(same(to_host(out, 6), expected));
}
