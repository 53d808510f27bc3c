// Dynamic shared memory for one sum per warp, according to the device's properties.
#include "check.h"

__global__ void sums(const int *in, int *out)
{
    extern __shared__ int partial[];
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % warpSize == 0)
        partial[threadIdx.x / warpSize] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int warp = 0; warp < blockDim.x / warpSize; ++warp)
            sum += partial[warp];
        out[blockIdx.x] = sum;
    }
}

int main()
{
    int device = 0;
    must(cudaGetDevice(&device));
    cudaDeviceProp prop{};
    must(cudaGetDeviceProperties(&prop, device));
    const int warps = 6, threads = warps * prop.warpSize, n = 2 * threads;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(2);
    for (int i = 0; i < n; ++i)
        expected[i / threads] += in[i];
    int *out = zeros<int>(2);
    sums<<<2, threads, warps * sizeof(int)>>>(to_device(in), out);
    return verdict(same(to_host(out, 2), expected));
}
