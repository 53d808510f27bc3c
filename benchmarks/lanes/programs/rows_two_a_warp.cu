// Two rows a warp: a vector of values a lane, in arrays of the row, by templates as in deep learning kernels.
#include "check.h"

#ifndef C_WARP_SIZE
#define C_WARP_SIZE 32
#endif
constexpr int log2_ceil(int value) { int log = 0; while ((1 << log) < value) ++log; return log; }

template <typename T> struct Add { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Max { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };

template <typename acc_t, int WARP_BATCH, int WARP_SIZE, template <typename> class ReduceOp>
__device__ __forceinline__ void warp_reduce(acc_t *sum)
{
    ReduceOp<acc_t> r;
#pragma unroll
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
#pragma unroll
        for (int i = 0; i < WARP_BATCH; ++i) {
            acc_t b = __shfl_xor_sync(0xffffffff, sum[i], offset, WARP_SIZE);
            sum[i] = r(sum[i], b);
        }
    }
}

template <int log2_elements> __global__ void softmax_like(int *dst, const int *src, int batch, int elements)
{
    constexpr int next_power_of_two = 1 << log2_elements;
    constexpr int WARP_SIZE = (next_power_of_two < C_WARP_SIZE) ? next_power_of_two : C_WARP_SIZE;
    constexpr int WARP_ITERATIONS = next_power_of_two / WARP_SIZE;
    constexpr int WARP_BATCH = (next_power_of_two <= 128) ? 2 : 1;
    const int first_batch = (blockDim.y * blockIdx.x + threadIdx.y) * WARP_BATCH;
    int local_batches = batch - first_batch;
    if (local_batches > WARP_BATCH)
        local_batches = WARP_BATCH;
    const int local_idx = threadIdx.x;
    int value[WARP_BATCH][WARP_ITERATIONS], best[WARP_BATCH], sum[WARP_BATCH] = {};
    for (int i = 0; i < WARP_BATCH; ++i) {
        best[i] = INT_MIN;
        for (int it = 0; it < WARP_ITERATIONS; ++it) {
            const int at = local_idx + it * WARP_SIZE;
            value[i][it] = i < local_batches && at < elements ? src[(first_batch + i) * elements + at] : INT_MIN / 2;
            best[i] = max(best[i], value[i][it]);
        }
    }
    warp_reduce<int, WARP_BATCH, WARP_SIZE, Max>(best);
    for (int i = 0; i < WARP_BATCH; ++i)
        for (int it = 0; it < WARP_ITERATIONS; ++it)
            sum[i] += value[i][it] == INT_MIN / 2 ? 0 : best[i] - value[i][it];
    warp_reduce<int, WARP_BATCH, WARP_SIZE, Add>(sum);
    for (int i = 0; i < local_batches; ++i)
        for (int it = 0; it < WARP_ITERATIONS; ++it)
            if (const int at = local_idx + it * WARP_SIZE; at < elements)
                dst[(first_batch + i) * elements + at] = sum[i] - value[i][it];
}

template <int log2_elements> bool test(int batch, int elements)
{
    const std::vector<int> in = numbers(batch * elements, 1000);
    std::vector<int> expected(in.size());
    for (int b = 0; b < batch; ++b) {
        const auto row = in.begin() + b * elements;
        const int best = *std::max_element(row, row + elements);
        int sum = 0;
        for (int i = 0; i < elements; ++i)
            sum += best - row[i];
        for (int i = 0; i < elements; ++i)
            expected[b * elements + i] = sum - row[i];
    }
    int *out = zeros<int>(in.size());
    const int next = 1 << log2_elements, warp = next < C_WARP_SIZE ? next : C_WARP_SIZE;
    const int batches_per_warp = next <= 128 ? 2 : 1, warps_per_block = 128 / warp;
    const int per_block = warps_per_block * batches_per_warp;
    dim3 threads(warp, warps_per_block, 1);
    softmax_like<log2_elements><<<(batch + per_block - 1) / per_block, threads>>>(out, to_device(in), batch, elements);
    return same(to_host(out, in.size()), expected);
}

int main() { return verdict(test<3>(37, 7) && test<5>(11, 30) && test<7>(9, 100) && test<8>(5, 200)); }
