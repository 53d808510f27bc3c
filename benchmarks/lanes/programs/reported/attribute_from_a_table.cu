// Attributes of the device are read in a loop over a table.
#include "../check.h"

struct Limits {
    int warp, threads;
};

static Limits limits()
{
    Limits found{};
    const struct {
        cudaDeviceAttr attribute;
        int *value;
    } wanted[] = {{cudaDevAttrWarpSize, &found.warp}, {cudaDevAttrMaxThreadsPerBlock, &found.threads}};
    for (const auto &each : wanted)
        must(cudaDeviceGetAttribute(each.value, each.attribute, 0));
    return found;
}

__global__ void sums(const int *in, int *out)
{
    int value = in[blockIdx.x * 32 + threadIdx.x];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(0xffffffff, value, lanes);
    out[blockIdx.x * 32 + threadIdx.x] = value;
}

int main()
{
    const Limits known = limits();
    const int n = 192;
    const std::vector<int> in = numbers(n, 1000);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
            expected[i] += in[j];
    int *out = zeros<int>(n);
    sums<<<n / known.warp, known.warp>>>(to_device(in), out);
    return verdict(known.threads >= 512 && same(to_host(out, n), expected));
}
