// A warp transposes 32 rows of 32 numbers, one row per lane, with shuffles only.
#include "check.h"

__global__ void transpose(const int *in, int *out)
{
    const int lane = threadIdx.x % 32, tile = threadIdx.x / 32 * 1024;
    int row[32];
    for (int i = 0; i < 32; ++i)
        row[i] = in[tile + lane * 32 + i];
    for (int step = 1; step < 32; step *= 2) {
        for (int i = 0; i < 32; ++i) {
            if (i & step)
                continue;
            const int sent = lane & step ? row[i] : row[i + step];
            const int received = __shfl_xor_sync(0xffffffff, sent, step);
            if (lane & step)
                row[i] = received;
            else
                row[i + step] = received;
        }
    }
    for (int i = 0; i < 32; ++i)
        out[tile + lane * 32 + i] = row[i];
}

int main()
{
    const int n = 2048;
    const std::vector<int> in = numbers(n, 100000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i / 1024 * 1024 + i % 32 * 32 + i % 1024 / 32] = in[i];
    int *out = zeros<int>(n);
    transpose<<<1, 64>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
