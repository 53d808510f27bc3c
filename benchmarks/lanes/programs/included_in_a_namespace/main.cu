// A file of kernels is included inside a namespace.
#include "../check.h"

namespace project {
namespace kernels {
#include "kernel.inl"
} // namespace kernels
} // namespace project

int main()
{
    const int n = 128;
    const std::vector<float> in = numbers_as<float>(n, 10000);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = *std::max_element(in.begin() + i / 32 * 32, in.begin() + i / 32 * 32 + 32);
    float *out = zeros<float>(n);
    project::kernels::maxima<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, n), expected));
}
