// The warp size as a template's argument, an array's bound, and through a structure of the host.
#include "check.h"

template <int Size> struct Buffer {
    int values[Size];
    __device__ int &at(int lane) { return values[lane % Size]; }
};

struct Launch {
    int lanes, warps;
    explicit Launch(const cudaDeviceProp *prop) : lanes(prop->warpSize), warps(prop->maxThreadsPerBlock / prop->warpSize) {}
    dim3 block(int rows) const { return dim3(lanes, rows); }
    size_t bytes(int rows) const { return size_t(lanes) * rows * sizeof(int); }
};

__global__ void turn(const int *in, int *out)
{
    extern __shared__ int rows[];
    __shared__ Buffer<32> first;
    const int lane = threadIdx.x, row = threadIdx.y;
    rows[row * warpSize + lane] = in[row * warpSize + lane];
    if (row == 0)
        first.at(lane) = in[lane];
    __syncthreads();
    out[row * warpSize + lane] = rows[row * warpSize + (warpSize - 1 - lane)] + first.at(lane + 1);
}

int main()
{
    const int rows = 5, n = 32 * rows;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = in[i / 32 * 32 + 31 - i % 32] + in[(i % 32 + 1) % 32];
    cudaDeviceProp prop;
    must(cudaGetDeviceProperties(&prop, 0));
    const Launch launch(&prop);
    int *out = zeros<int>(n);
    turn<<<1, launch.block(rows), launch.bytes(rows)>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
