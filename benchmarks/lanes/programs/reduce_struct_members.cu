// Statistics of a warp: a structure whose members are shuffled by operator(), in a template.
#include "check.h"

template <typename T> struct Moments {
    T count, sum, least;
    __host__ __device__ void add(const Moments &other)
    {
        count += other.count;
        sum += other.sum;
        least = other.least < least ? other.least : least;
    }
};

template <int N> struct Lanes { enum { value = N, half = N / 2, mask = N - 1 }; };

template <typename T, int N> struct WarpMoments {
    static constexpr unsigned all = (N == 32) ? 0xffffffffu : (1u << N) - 1;
    __device__ Moments<T> operator()(Moments<T> own) const
    {
        for (int offset = Lanes<N>::half; offset; offset >>= 1) {
            Moments<T> other;
            other.count = __shfl_down_sync(all, own.count, offset);
            other.sum = __shfl_down_sync(all, own.sum, offset);
            other.least = __shfl_down_sync(all, own.least, offset);
            own.add(other);
        }
        return own;
    }
};

template <typename T> __global__ void moments(const T *in, Moments<T> *out)
{
    const int t = threadIdx.x;
    const Moments<T> found = WarpMoments<T, Lanes<32>::value>{}(Moments<T>{1, in[t], in[t]});
    if ((t & Lanes<32>::mask) == 0)
        out[t / Lanes<32>::value] = found;
}

int main()
{
    const int n = 160;
    const std::vector<int> in = numbers(n, 1000);
    Moments<int> *out = zeros<Moments<int>>(n / 32);
    moments<int><<<1, n>>>(to_device(in), out);
    bool passed = true;
    int w = 0;
    for (const Moments<int> &found : to_host(out, n / 32)) {
        Moments<int> expected{0, 0, INT_MAX};
        for (int i = 0; i < 32; ++i)
            expected.add({1, in[w * 32 + i], in[w * 32 + i]});
        ++w;
        passed = passed && found.count == expected.count && found.sum == expected.sum && found.least == expected.least;
    }
    return verdict(passed);
}
