// Decoupled look-back: each warp is a tile, adds up the tiles before it, and publishes its own prefix.
#include "check.h"

enum Status : int { EMPTY = 0, PARTIAL = 1, COMPLETE = 2 };
struct TileState {
    int status, value;
};

__device__ int load_status(const TileState *state)
{
    return *(volatile const int *)&state->status;
}

__global__ void scan(const int *in, int *out, TileState *tiles, int n)
{
    const int tile = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int lane = threadIdx.x % warpSize, i = tile * warpSize + lane;
    int value = i < n ? in[i] : 0;
    for (int delta = 1; delta < warpSize; delta *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, value, delta);
        if (lane >= delta)
            value += other;
    }
    int before = 0;
    if (lane == warpSize - 1) {
        tiles[tile].value = value;
        __threadfence();
        atomicExch(&tiles[tile].status, tile == 0 ? COMPLETE : PARTIAL);
        for (int back = tile - 1; back >= 0; --back) {
            int status;
            do {
                status = load_status(&tiles[back]);
            } while (status == EMPTY);
            __threadfence();
            before += *(volatile int *)&tiles[back].value;
            if (status == COMPLETE)
                break;
        }
    }
    before = __shfl_sync(0xffffffffu, before, warpSize - 1);
    if (i < n)
        out[i] = value + before;
}

int main()
{
    const int n = 300;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0, sum = 0; i < n; ++i)
        expected[i] = sum += in[i];
    int *out = zeros<int>(n);
    TileState *tiles;
    must(cudaMalloc(&tiles, 16 * sizeof(TileState)));
    must(cudaMemset(tiles, 0, 16 * sizeof(TileState)));
    scan<<<4, 96>>>(to_device(in), out, tiles, n);
    return verdict(same(to_host(out, n), expected));
}
