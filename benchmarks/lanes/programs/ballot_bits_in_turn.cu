// The whole warp works for each lane of a ballot in turn.
#include "check.h"

__global__ void serve(const int *in, int *out)
{
    int lane = threadIdx.x & 31, sum = 0;
    unsigned wanting = __ballot_sync(0xffffffff, in[threadIdx.x] % 4 == 0);
    while (wanting) {
        int customer = __ffs(wanting) - 1;
        wanting &= wanting - 1;
        int what = __shfl_sync(0xffffffff, in[threadIdx.x], customer);
        sum += what * (lane + 1);
    }
    out[threadIdx.x] = sum;
}

int main()
{
    const int n = 256;
    const std::vector<int> in = numbers(n, 100);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += in[j] % 4 == 0 ? in[j] * (i % 32 + 1) : 0;
    int *out = zeros<int>(n);
    serve<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
