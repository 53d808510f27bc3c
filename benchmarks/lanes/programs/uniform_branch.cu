// Each warp takes its own branch, and each branch uses warp functions.
#include "check.h"

__device__ int sum(int value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffff, value, offset);
    return value;
}

__global__ void by_warp(const int *in, int *out)
{
    int value = in[threadIdx.x], result;
    switch (threadIdx.x / 32 % 4) {
    case 0:
        result = sum(value);
        break;
    case 1:
        result = __popc(__ballot_sync(0xffffffff, value > 50));
        break;
    case 2:
        result = __shfl_sync(0xffffffff, value, 31);
        break;
    default:
        result = sum(value * value) / sum(value + 1);
    }
    out[threadIdx.x] = result;
}

int main()
{
    const std::vector<int> in = numbers(256, 100);
    std::vector<int> expected(256);
    for (int i = 0; i < 256; ++i) {
        int sum = 0, large = 0, squares = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            sum += in[j];
            large += in[j] > 50;
            squares += in[j] * in[j];
        }
        const int results[] = {sum, large, in[i / 32 * 32 + 31], squares / (sum + 32)};
        expected[i] = results[i / 32 % 4];
    }
    int *out = zeros<int>(256);
    by_warp<<<1, 256>>>(to_device(in), out);
    return verdict(same(to_host(out, 256), expected));
}
