// Reductions of bools and bytes: CUDA adds them as integers.
#include "check.h"

__global__ void counts(const unsigned char *in, int *out)
{
    const unsigned char value = in[threadIdx.x];
    const int large = __reduce_add_sync(0xffffffff, value > 100), sum = __reduce_add_sync(0xffffffff, value);
    const int least = __reduce_min_sync(0xffffffff, short(value));
    out[threadIdx.x] = large + 100 * sum + 1000000 * least;
}

int main()
{
    const int n = 128;
    const std::vector<unsigned char> in = numbers_as<unsigned char>(n, 256);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        int least = 255;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            expected[i] += (in[j] > 100) + 100 * in[j];
            least = std::min<int>(least, in[j]);
        }
        expected[i] += 1000000 * least;
    }
    int *out = zeros<int>(n);
    counts<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
