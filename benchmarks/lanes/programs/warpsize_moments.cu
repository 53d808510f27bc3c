// Mean and sum of squares by a warp for each row, merged with counts; threads in two dimensions from a helper of the host.
#include "check.h"

constexpr int kCUDANumThreads = 128;
constexpr int kWarp = 32;
static inline int warps_per_block() { return kCUDANumThreads / kWarp; }

struct Stats {
    int mean16, count;
    long long sigma;
    __device__ Stats combined(const Stats &o) const { return {mean16 + o.mean16, count + o.count, sigma + o.sigma}; }
};
__device__ inline Stats shuffle_down(const Stats &s, unsigned delta, int width = warpSize, unsigned mask = 0xffffffff)
{
    return {__shfl_down_sync(mask, s.mean16, delta, width), __shfl_down_sync(mask, s.count, delta, width),
            __shfl_down_sync(mask, s.sigma, delta, width)};
}
template <typename T> __global__ void row_moments(const T *x, int n, int rows, int *mean, long long *sigma)
{
    __shared__ Stats shared[kWarp];
    const int row = blockIdx.x;
    Stats mine{0, 0, 0};
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        mine = mine.combined({int(x[row * n + j]), 1, (long long)x[row * n + j] * x[row * n + j]});
    for (int offset = warpSize >> 1; offset > 0; offset >>= 1)
        mine = mine.combined(shuffle_down(mine, offset));
    const int lid = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    __syncthreads();
    if (lid == 0)
        shared[wid] = mine;
    __syncthreads();
    mine = threadIdx.x < blockDim.x / warpSize ? shared[lid] : Stats{0, 0, 0};
    if (wid == 0) {
        for (int offset = warpSize / 2; offset > 0; offset /= 2)
            mine = mine.combined(shuffle_down(mine, offset));
        if (lid == 0) {
            mean[row] = mine.count == n ? mine.mean16 : -1;
            sigma[row] = mine.sigma;
        }
    }
}

int main()
{
    const int rows = 5, n = 333;
    const std::vector<int> x = numbers(rows * n, 40);
    std::vector<int> mean(rows);
    std::vector<long long> sigma(rows);
    for (int i = 0; i < rows * n; ++i)
        mean[i / n] += x[i], sigma[i / n] += x[i] * x[i];
    int *m = zeros<int>(rows);
    long long *s = zeros<long long>(rows);
    row_moments<<<rows, warps_per_block() * kWarp>>>(to_device(x), n, rows, m, s);
    return verdict(same(to_host(m, rows), mean) && same(to_host(s, rows), sigma));
}
