// An object stands for a group of lanes and keeps their mask.
#include "check.h"

class Lanes {
public:
    __device__ Lanes(int lane, int size) : mask_((size == 32 ? ~0u : (1u << size) - 1) << lane / size * size) {}
    __device__ bool any(bool predicate) const { return __any_sync(mask_, predicate); }
    __device__ int count(bool predicate) const { return __popc(__ballot_sync(mask_, predicate)); }
    __device__ int from_first(int value) const { return __shfl_sync(mask_, value, __ffs(mask_) - 1); }
    __device__ void sync() const { __syncwarp(mask_); }

private:
    unsigned mask_;
};

__global__ void groups(const int *in, int *out, int size)
{
    __shared__ int shared[128];
    const Lanes lanes(threadIdx.x % 32, size);
    const int value = in[threadIdx.x];
    shared[threadIdx.x] = value;
    lanes.sync();
    const int next = shared[threadIdx.x / size * size + (threadIdx.x + 1) % size];
    out[threadIdx.x] = lanes.any(value == 5) + 2 * lanes.count(value > 50) + 100 * lanes.from_first(value) + 10000 * next;
}

int main()
{
    const int n = 128;
    const std::vector<int> in = numbers(n, 100);
    bool passed = true;
    for (int size : {4, 8, 16, 32}) {
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            const int *group = &in[i / size * size];
            expected[i] = (std::count(group, group + size, 5) > 0) + 100 * group[0] + 10000 * group[(i + 1) % size];
            for (int j = 0; j < size; ++j)
                expected[i] += 2 * (group[j] > 50);
        }
        int *out = zeros<int>(n);
        groups<<<1, n>>>(to_device(in), out, size);
        passed = passed && same(to_host(out, n), expected);
    }
    return verdict(passed);
}
