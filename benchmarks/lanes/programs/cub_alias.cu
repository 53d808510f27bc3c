// CUB's reduction through an alias template, and of part of a warp's values.
#include "check.h"
#include <cub/warp/warp_reduce.cuh>

namespace blocks = cub;
template <typename T> using Reduction = cub::WarpReduce<T>;

template <typename T> __global__ void sums(const T *in, T *out, int valid)
{
    __shared__ typename Reduction<T>::TempStorage storage[3];
    __shared__ typename blocks::WarpReduce<T>::TempStorage again[3];
    const int warp = threadIdx.x / 32;
    const T all = Reduction<T>(storage[warp]).Sum(in[threadIdx.x]);
    const T part = blocks::WarpReduce<T>(again[warp]).Sum(in[threadIdx.x], valid);
    if (threadIdx.x % 32 == 0)
        out[warp] = all * 1000 + part;
}

int main()
{
    const std::vector<int> in = numbers(96, 100);
    std::vector<int> expected(3);
    for (int i = 0; i < 96; ++i)
        expected[i / 32] += in[i] * 1000 + (i % 32 < 20 ? in[i] : 0);
    int *out = zeros<int>(3);
    sums<<<1, 96>>>(to_device(in), out, 20);
    return verdict(same(to_host(out, 3), expected));
}
