// A class holds the properties of a device, and launches read them from it.
#include "check.h"

class Device {
public:
    explicit Device(int number) { must(cudaGetDeviceProperties(&properties_, number)); }
    int warp() const { return properties_.warpSize; }
    const cudaDeviceProp *all() const { return &properties_; }

private:
    cudaDeviceProp properties_;
};

__global__ void sums(const int *in, int *out, int rows)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    int value = row < rows ? in[row * 32 + threadIdx.x % 32] : 0;
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value += __shfl_down_sync(0xffffffff, value, lanes);
    if (threadIdx.x % 32 == 0 && row < rows)
        atomicAdd(&out[row], value);
}

int main()
{
    const int rows = 14;
    const std::vector<int> in = numbers(rows * 32, 100);
    std::vector<int> expected(rows);
    for (int i = 0; i < rows * 32; ++i)
        expected[i / 32] += 2 * in[i];
    const Device device(0);
    const cudaDeviceProp *all = device.all();
    int *out = zeros<int>(rows);
    const dim3 one(device.warp(), 4), other(all->warpSize, 4);
    sums<<<(rows + 3) / 4, one>>>(to_device(in), out, rows);
    sums<<<(rows + 3) / 4, other>>>(to_device(in), out, rows);
    return verdict(same(to_host(out, rows), expected));
}
