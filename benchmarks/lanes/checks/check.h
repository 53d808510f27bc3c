// Rules that the emulator must keep, written for HIP itself.
#pragma once

#include <hip/hip_runtime.h>

inline int failures = 0;

inline void expect(bool holds, const char *rule)
{
    if (!holds) {
        std::printf("not so: %s\n", rule);
        ++failures;
    }
}

inline int verdict()
{
    std::printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}

template <typename T> T *device(int count)
{
    T *at;
    hipMalloc(&at, count * sizeof(T));
    hipMemset(at, 0, count * sizeof(T));
    return at;
}

// The lanes below a number.
inline unsigned long long below(int lanes) { return lanes >= 64 ? ~0ull : (1ull << lanes) - 1; }
