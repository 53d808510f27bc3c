// Exclusive prefix sums, and the total from the last lane with a shuffle.
#include "check.h"

template <typename T> __device__ T exclusive(T value, T *all)
{
    const int lane = threadIdx.x % 32;
    T sum = value;
    for (int delta = 1; delta < 32; delta <<= 1) {
        T before = __shfl_up_sync(-1, sum, delta);
        if (lane >= delta)
            sum += before;
    }
    *all = __shfl_sync(-1, sum, 31);
    return sum - value;
}

__global__ void scans(const float *in, float *out)
{
    float all, before = exclusive(in[threadIdx.x], &all);
    out[threadIdx.x] = all * 4096 + before;
}

int main()
{
    const int n = 128;
    const std::vector<float> in = numbers_as<float>(n, 50);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i) {
        float all = 0, before = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            all += in[j];
            before += j < i ? in[j] : 0;
        }
        expected[i] = all * 4096 + before;
    }
    float *out = zeros<float>(n);
    scans<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
