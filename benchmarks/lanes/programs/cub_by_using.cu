// CUB's warp reductions by a using directive, a typedef in a class template, and a template template parameter.
#include "check.h"
#include <cub/cub.cuh>

using namespace cub;
template <template <typename, int> class Reduce, typename T, int Lanes> struct Applied {
    typedef Reduce<T, Lanes> type;
};
template <typename T> struct Agent {
    typedef WarpReduce<T> Reduce;
    typedef WarpScan<T> Scan;
    struct TempStorage {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    };
    TempStorage &storage;
    __device__ Agent(TempStorage &s) : storage(s) {}
    __device__ T Run(T value, T &prefix)
    {
        Scan(storage.scan).InclusiveSum(value, prefix);
        return Reduce(storage.reduce).Sum(value);
    }
};

template <int Threads> __global__ void k(const int *in, int *out, int *sums)
{
    __shared__ typename Agent<int>::TempStorage storage[Threads >> 5];
    int prefix;
    const int i = blockIdx.x * Threads + threadIdx.x;
    const int sum = Agent<int>(storage[threadIdx.x >> 5]).Run(in[i], prefix);
    out[i] = prefix;
    if ((threadIdx.x & 31) == 0)
        sums[i >> 5] = sum;
}

int main()
{
    const int threads = 96, n = 2 * threads;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> out(n), sums(n / 32);
    for (int i = 0; i < n; ++i)
        out[i] = sums[i / 32] += in[i];
    int *o = zeros<int>(n), *s = zeros<int>(n / 32);
    k<threads><<<2, threads>>>(to_device(in), o, s);
    return verdict(same(to_host(o, n), out) && same(to_host(s, n / 32), sums));
}
