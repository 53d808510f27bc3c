// A few of HIP's functions on values of 16 bits.
#pragma once

#include "hip_runtime.h"

struct __half {
    _Float16 value;
    __half() = default;
    __half(float from) : value(static_cast<_Float16>(from)) {}
    operator float() const { return value; }
};
using half = __half;
inline __half __float2half(float from) { return {from}; }
inline float __half2float(__half from) { return from; }
inline __half __hadd(__half a, __half b) { return {float(a) + float(b)}; }
inline __half __hmul(__half a, __half b) { return {float(a) * float(b)}; }
inline bool __hgt(__half a, __half b) { return float(a) > float(b); }
inline __half __hmax(__half a, __half b) { return __hgt(a, b) ? a : b; }
struct __half2 {
    __half x, y;
};
using half2 = __half2;
inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
inline __half2 __hadd2(__half2 a, __half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
inline __half __low2half(__half2 from) { return from.x; }
inline __half __high2half(__half2 from) { return from.y; }
