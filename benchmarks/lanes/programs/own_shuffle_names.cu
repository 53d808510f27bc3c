// A project's own shuffles, named as the helpers are, for its own types: overloads of CUDA's and short names.
#include "check.h"

struct Moments {
    float sum, squares;
    int count;
};

__device__ Moments __shfl_xor_sync(unsigned mask, Moments m, int lanes, int width = 32)
{
    return {__shfl_xor_sync(mask, m.sum, lanes, width), __shfl_xor_sync(mask, m.squares, lanes, width),
            __shfl_xor_sync(mask, m.count, lanes, width)};
}
__device__ Moments shfl_xor(Moments m, int lanes, int width) { return __shfl_xor_sync(0xffffffff, m, lanes, width); }

namespace geometry {
struct Box {
    float low, high;
};
__device__ inline Box __shfl_down_sync(unsigned mask, const Box &box, unsigned delta, int width = 32)
{
    return {::__shfl_down_sync(mask, box.low, delta, width), ::__shfl_down_sync(mask, box.high, delta, width)};
}
template <typename T> __device__ T shfl_down(T value, unsigned delta, int width = 32)
{
    return __shfl_down_sync(0xffffffff, value, delta, width);
}
template <typename T> __device__ T from_lane(T value, int lane) { return value; }
__device__ Box joined(Box a, Box b) { return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high}; }
} // namespace geometry

__global__ void statistics(const float *in, float *out)
{
    const float value = in[threadIdx.x];
    Moments m = {value, value * value, 1};
    geometry::Box box = {value, value};
    for (int lanes = 16; lanes; lanes >>= 1) {
        const Moments other = shfl_xor(m, lanes, 32);
        m = {m.sum + other.sum, m.squares + other.squares, m.count + other.count};
        box = joined(box, shfl_down(box, lanes));
    }
    if (threadIdx.x % 32 == 0) {
        float *to = out + threadIdx.x / 32 * 4;
        to[0] = m.sum;
        to[1] = m.squares * m.count;
        to[2] = box.low;
        to[3] = box.high;
    }
}

int main()
{
    const int n = 96;
    const std::vector<float> in = numbers_as<float>(n, 60);
    std::vector<float> expected;
    for (int w = 0; w < n; w += 32) {
        float sum = 0, squares = 0;
        for (int i = w; i < w + 32; ++i) {
            sum += in[i];
            squares += in[i] * in[i];
        }
        const auto ends = std::minmax_element(in.begin() + w, in.begin() + w + 32);
        expected.insert(expected.end(), {sum, squares * 32, *ends.first, *ends.second});
    }
    float *out = zeros<float>(expected.size());
    statistics<<<1, n>>>(to_device(in), out);
    return verdict(same(to_host(out, expected.size()), expected));
}
