// Warps take work from a counter until none is left.
#include "check.h"

__device__ int next_piece;

__global__ void work(const int *in, int *out, int pieces)
{
    const int lane = threadIdx.x % 32;
    while (true) {
        int piece;
        if (lane == 0)
            piece = atomicAdd(&next_piece, 1);
        piece = __shfl_sync(0xffffffff, piece, 0);
        if (piece >= pieces)
            return;
        int value = in[piece * 32 + lane];
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffff, value, offset);
        if (lane == 0)
            out[piece] = value;
    }
}

int main()
{
    const int pieces = 37;
    const std::vector<int> in = numbers(pieces * 32, 1000);
    std::vector<int> expected(pieces);
    for (int i = 0; i < pieces * 32; ++i)
        expected[i / 32] += in[i];
    int *out = zeros<int>(pieces), zero = 0;
    must(cudaMemcpyToSymbol(next_piece, &zero, sizeof(int)));
    work<<<2, 128>>>(to_device(in), out, pieces);
    return verdict(same(to_host(out, pieces), expected));
}
