// Votes of a warp: two warps of one block vote differently.
#include "check.h"

__global__ void vote(const int *in, int *out)
{
    int value = in[threadIdx.x];
    int any = __any_sync(0xffffffff, value > 90);
    int all = __all_sync(0xffffffff, value > 5);
    out[threadIdx.x] = 2 * any + all;
}

int main()
{
    std::vector<int> in = numbers(256, 100), expected(256);
    for (int i = 0; i < 256; ++i)
        in[i] = i / 32 % 3 == 0 ? in[i] % 90 : i / 32 % 3 == 1 ? in[i] + 6 : in[i];
    for (int i = 0; i < 256; ++i) {
        bool any = false, all = true;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            any = any || in[j] > 90;
            all = all && in[j] > 5;
        }
        expected[i] = 2 * any + all;
    }
    int *out = zeros<int>(256);
    vote<<<1, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 256), expected));
}
