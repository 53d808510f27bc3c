// The host reads the warp size from the device's properties; the kernel has 32.
#include "check.h"

__global__ void rows(const int *in, int *out, int width)
{
    int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y, sum = 0;
    for (int column = lane; column < width; column += 32)
        sum += in[row * width + column];
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane % 32 == 0)
        atomicAdd(&out[row], sum);
}

int main()
{
    const int n = 12, width = 50;
    const std::vector<int> in = numbers(n * width, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n * width; ++i)
        expected[i / width] += in[i];
    cudaDeviceProp prop;
    must(cudaGetDeviceProperties(&prop, 0));
    const dim3 block(prop.warpSize, 4);
    int *out = zeros<int>(n);
    rows<<<n / block.y, block>>>(to_device(in), out, width);
    return verdict(same(to_host(out, n), expected));
}
