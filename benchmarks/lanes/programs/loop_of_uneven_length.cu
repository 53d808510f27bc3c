// Each warp loops as often as its data needs; other warps do not take part in the last iterations.
#include "check.h"

__global__ void walk(const int *length, int *out)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    for (int turn = 0; turn < length[warp]; ++turn) {
        int from = __shfl_sync(0xffffffff, lane * lane + turn, turn % 32);
        sum += from;
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const std::vector<int> length = {3, 40, 0, 17, 25, 1, 64, 2};
    std::vector<int> expected(256);
    for (int i = 0; i < 256; ++i)
        for (int turn = 0; turn < length[i / 32]; ++turn)
            expected[i] += (turn % 32) * (turn % 32) + turn;
    int *out = zeros<int>(256);
    walk<<<1, 256>>>(to_device(length), out);
    return verdict(same(to_host(out, 256), expected));
}
