// One warp waits for what another warp of its block writes.
#include "../check.h"

__global__ void pass_on(const int *in, int *out)
{
    __shared__ int buffer[32];
    __shared__ volatile int ready;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (warp == 0) {
        while (ready == 0)
            ;
        __threadfence_block();
        out[lane] = buffer[31 - lane];
    } else {
        buffer[lane] = in[lane];
        __threadfence_block();
        __syncwarp();
        if (lane == 0)
            ready = 1;
    }
}

int main()
{
    const std::vector<int> in = numbers(32, 1000);
    const std::vector<int> expected(in.rbegin(), in.rend());
    int *out = zeros<int>(32);
    pass_on<<<1, 64>>>(to_device(in), out);
    return verdict(same(to_host(out, 32), expected));
}
