// CUB's reduction of a warp, without an argument for the warp size.
#include "check.h"
#include <cub/cub.cuh>

__global__ void sums(const int *in, int *out)
{
    typedef cub::WarpReduce<int> WarpReduce;
    __shared__ typename WarpReduce::TempStorage storage[4];
    const int warp = threadIdx.x / 32;
    const int sum = WarpReduce(storage[warp]).Sum(in[threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        out[warp] = sum;
}

int main()
{
    const std::vector<int> in = numbers(128, 1000);
    std::vector<int> expected(4);
    for (int i = 0; i < 128; ++i)
        expected[i / 32] += in[i];
    int *out = zeros<int>(4);
    sums<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 4), expected));
}
