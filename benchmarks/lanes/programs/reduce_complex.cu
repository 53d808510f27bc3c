// Complex numbers in a struct: the product over a warp.
#include "check.h"

struct Complex {
    int re, im;
};

__device__ __host__ Complex operator*(Complex a, Complex b)
{
    return {(a.re * b.re - a.im * b.im) % 1000, (a.re * b.im + a.im * b.re) % 1000};
}

__device__ Complex from_below(Complex value, int lanes)
{
    return {__shfl_down_sync(0xffffffff, value.re, lanes), __shfl_down_sync(0xffffffff, value.im, lanes)};
}

__global__ void pairs(const int *in, int *out)
{
    Complex value{in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
    value = value * from_below(value, 1);
    value = value * from_below(value, 2);
    if (threadIdx.x % 4 == 0) {
        out[threadIdx.x / 2] = value.re;
        out[threadIdx.x / 2 + 1] = value.im;
    }
}

int main()
{
    const std::vector<int> in = numbers(256, 20);
    std::vector<int> expected(64);
    for (int group = 0; group < 32; ++group) {
        Complex v[4];
        for (int i = 0; i < 4; ++i)
            v[i] = {in[8 * group + 2 * i], in[8 * group + 2 * i + 1]};
        const Complex all = (v[0] * v[1]) * (v[2] * v[3]);
        expected[2 * group] = all.re;
        expected[2 * group + 1] = all.im;
    }
    int *out = zeros<int>(64);
    pairs<<<1, 128>>>(to_device(in), out);
    return verdict(same(to_host(out, 64), expected));
}
