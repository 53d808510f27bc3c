// Kernel, host code, and the sum of a warp are in separate files.
#include "../check.h"
#include "rows.h"

int main()
{
    const int count = 4 * kRows, width = 61;
    const std::vector<float> in = numbers_as<float>(count * width, 100);
    std::vector<float> expected(count);
    for (int i = 0; i < count * width; ++i)
        expected[i / width] += in[i];
    float *out = zeros<float>(count);
    sum_rows(to_device(in), out, count, width);
    return verdict(same(to_host(out, count), expected));
}
