// Votes with a mask of only some lanes of the warp.
#include "check.h"

__global__ void vote(const int *in, int *out)
{
    int lane = threadIdx.x % 32;
    unsigned quarter = 0xffu << (lane / 8 * 8);
    int value = in[threadIdx.x];
    int all = __all_sync(quarter, value % 7 != 0);
    int any = __any_sync(quarter, value % 11 == 0);
    unsigned which = __ballot_sync(quarter, value & 1);
    out[threadIdx.x] = all + 2 * any + 4 * int(which >> (lane / 8 * 8));
}

int main()
{
    const std::vector<int> in = numbers(128, 1000);
    std::vector<int> expected(128);
    for (int i = 0; i < 128; ++i) {
        int all = 1, any = 0, which = 0;
        for (int j = 0; j < 8; ++j) {
            const int value = in[i / 8 * 8 + j];
            all = all && value % 7 != 0;
            any = any || value % 11 == 0;
            which |= (value & 1) << j;
        }
        expected[i] = all + 2 * any + 4 * which;
    }
    int *out = zeros<int>(128);
    vote<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 128), expected));
}
