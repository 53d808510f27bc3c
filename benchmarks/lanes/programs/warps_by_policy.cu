// Block reductions for any functor: warps counted by a policy class, identity for missing lanes, one result for all.
#include "check.h"

template <unsigned Threads> struct LaunchPolicy {
    static constexpr unsigned warp_threads = 32u;
    static constexpr unsigned warps = (Threads + warp_threads - 1u) / warp_threads;
    static constexpr unsigned full = ~0u;
    __device__ static unsigned lane() { return threadIdx.x % warp_threads; }
    __device__ static unsigned warp() { return threadIdx.x / warp_threads; }
};

template <class Policy, class T, class Op> __device__ T reduce_warp(T value, Op op, unsigned mask = Policy::full)
{
    for (unsigned delta = Policy::warp_threads >> 1; delta; delta >>= 1)
        value = op(value, __shfl_xor_sync(mask, value, delta));
    return value;
}

template <unsigned Threads, class T, class Op> __device__ T reduce_block(T value, Op op, T identity)
{
    using P = LaunchPolicy<Threads>;
    __shared__ T partial[P::warps];
    value = reduce_warp<P>(value, op);
    if (P::lane() == 0)
        partial[P::warp()] = value;
    __syncthreads();
    value = P::lane() < P::warps ? partial[P::lane()] : identity;
    value = reduce_warp<P>(value, op);
    __syncthreads();
    return value;
}

template <unsigned Threads> __global__ void both(const long long *in, long long *out, int n)
{
    const int i = blockIdx.x * Threads + threadIdx.x;
    const long long v = i < n ? in[i] : 0;
    const auto sum = reduce_block<Threads>(v, [](long long a, long long b) { return a + b; }, 0ll);
    const auto most = reduce_block<Threads>(v, [](auto a, auto b) { return a < b ? b : a; }, LLONG_MIN);
    out[2 * (blockIdx.x * Threads + threadIdx.x)] = sum;
    out[2 * (blockIdx.x * Threads + threadIdx.x) + 1] = most;
}

int main()
{
    const int n = 400, threads = 160, blocks = 3;
    const std::vector<long long> in = numbers_as<long long>(n, 100000);
    std::vector<long long> expected(2 * threads * blocks);
    for (int b = 0; b < blocks; ++b) {
        long long sum = 0, most = 0;
        for (int i = b * threads; i < (b + 1) * threads; ++i)
            sum += i < n ? in[i] : 0, most = std::max(most, i < n ? in[i] : 0);
        for (int i = b * threads; i < (b + 1) * threads; ++i)
            expected[2 * i] = sum, expected[2 * i + 1] = most;
    }
    long long *out = zeros<long long>(expected.size());
    both<threads><<<blocks, threads>>>(to_device(in), out, n);
    return verdict(same(to_host(out, expected.size()), expected));
}
