// Cooperative groups: tiles of 16 and 8 threads, beside warp functions.
#include "check.h"
#include <cooperative_groups.h>

using namespace cooperative_groups;

template <unsigned Size> __global__ void sums(const int *in, int *out)
{
    auto tile = tiled_partition<Size>(this_thread_block());
    int value = in[threadIdx.x];
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
        value += tile.shfl_xor(value, lanes);
    int first = tile.shfl(in[threadIdx.x], 0), any = tile.any(in[threadIdx.x] < 5);
    int odd = __popc(__ballot_sync(0xffffffff, in[threadIdx.x] & 1));
    tile.sync();
    out[threadIdx.x] = value + 10000 * first + 1000000 * any + 2000000 * odd;
}

template <unsigned Size> bool right(const std::vector<int> &in)
{
    std::vector<int> expected(in.size());
    for (unsigned i = 0; i < in.size(); ++i) {
        int any = 0, odd = 0;
        for (unsigned j = i / Size * Size; j < i / Size * Size + Size; ++j) {
            expected[i] += in[j];
            any |= in[j] < 5;
        }
        for (unsigned j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            odd += in[j] & 1;
        expected[i] += 10000 * in[i / Size * Size] + 1000000 * any + 2000000 * odd;
    }
    int *out = zeros<int>(in.size());
    sums<Size><<<1, in.size()>>>(to_device(in), out);
    return same(to_host(out, in.size()), expected);
}

int main()
{
    const std::vector<int> in = numbers(160, 100);
    return verdict(right<16>(in) && right<8>(in) && right<4>(in));
}
