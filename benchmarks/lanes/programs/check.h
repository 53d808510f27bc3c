// What every program here needs: vectors to and from the device, and a verdict.
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

inline void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::printf("FAILED: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

template <typename T> T *to_device(const std::vector<T> &values)
{
    T *at = nullptr;
    must(cudaMalloc(&at, values.size() * sizeof(T)));
    must(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return at;
}

template <typename T> T *zeros(std::size_t count) { return to_device(std::vector<T>(count)); }

template <typename T> std::vector<T> to_host(const T *at, std::size_t count)
{
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    std::vector<T> values(count);
    must(cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// Numbers without a pattern, from 0 to below a limit.
inline std::vector<int> numbers(int count, int below)
{
    std::vector<int> values(count);
    unsigned state = 12345;
    for (int &value : values) {
        state = state * 1664525u + 1013904223u;
        value = int(state >> 8) % below;
    }
    return values;
}

template <typename T> std::vector<T> numbers_as(int count, int below)
{
    const std::vector<int> plain = numbers(count, below);
    return std::vector<T>(plain.begin(), plain.end());
}

template <typename T> bool same(const std::vector<T> &found, const std::vector<T> &expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!(found[i] == expected[i])) {
            std::printf("[%d] is %g, not %g\n", int(i), double(found[i]), double(expected[i]));
            return false;
        }
    }
    return true;
}

inline int verdict(bool passed)
{
    std::printf(passed ? "PASSED\n" : "FAILED\n");
    return passed ? 0 : 1;
}
