// The mask for the end of a row is computed from the number of remaining elements.
#include "check.h"

__global__ void largest(const int *in, int *out, int n)
{
    const int row = blockIdx.x, lane = threadIdx.x;
    int most = 0;
    for (int start = 0; start < n; start += 32) {
        const int left = n - start;
        const unsigned mask = 0xffffffffu >> (left < 32 ? 32 - left : 0);
        if (lane >= left)
            break;
        int value = in[row * n + start + lane];
        const unsigned peaks = __ballot_sync(mask, value > 90);
        most += __popc(peaks) + __popc(__activemask());
    }
    if (lane == 0)
        out[row] = most;
}

int main()
{
    const int n = 77, rows = 6;
    const std::vector<int> in = numbers(n * rows, 100);
    std::vector<int> expected(rows, n);
    for (int i = 0; i < n * rows; ++i)
        expected[i / n] += in[i] > 90;
    int *out = zeros<int>(rows);
    largest<<<rows, 32>>>(to_device(in), out, n);
    return verdict(same(to_host(out, rows), expected));
}
