// HIP's device functions that are not of the warp: bits, atomics, barriers.
#pragma once

#include "lanes_warp.h"

#include <cmath>

LANES_API void __syncthreads() { emulator::barrier(false); }
LANES_API int __syncthreads_count(int predicate) { return emulator::barrier(predicate).in_favour; }
LANES_API int __syncthreads_or(int predicate) { return emulator::barrier(predicate).in_favour != 0; }
LANES_API int __syncthreads_and(int predicate)
{
    const emulator::Votes votes = emulator::barrier(predicate);
    return votes.in_favour == votes.threads;
}
LANES_API void __threadfence() {}
LANES_API void __threadfence_block() {}
LANES_API void __threadfence_system() {}
LANES_API void __builtin_amdgcn_s_sleep(int) {}

LANES_API int __popc(unsigned value) { return __builtin_popcount(value); }
LANES_API int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
LANES_API int __ffs(unsigned value) { return __builtin_ffs(value); }
LANES_API int __ffs(int value) { return __builtin_ffs(value); }
LANES_API int __ffs(unsigned long long value) { return __builtin_ffsll(value); }
LANES_API int __ffsll(unsigned long long value) { return __builtin_ffsll(value); }
LANES_API int __clz(int value) { return value ? __builtin_clz(value) : 32; }
LANES_API int __clzll(long long value) { return value ? __builtin_clzll(value) : 64; }
LANES_API unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }
LANES_API unsigned long long __brevll(unsigned long long value) { return __builtin_bitreverse64(value); }
LANES_API int __float_as_int(float value) { return emulator::of_word<int>(emulator::word_of(value)); }
LANES_API unsigned __float_as_uint(float value) { return emulator::of_word<unsigned>(emulator::word_of(value)); }
LANES_API float __int_as_float(int value) { return emulator::of_word<float>(emulator::word_of(value)); }
LANES_API float __uint_as_float(unsigned value) { return emulator::of_word<float>(emulator::word_of(value)); }
template <typename T> LANES_API T __ldg(const T *at) { return *at; }

#define LANES_MINIMUM(T)                                                            \
    LANES_API T min(T a, T b) { return b < a ? b : a; }                             \
    LANES_API T max(T a, T b) { return a < b ? b : a; }
LANES_MINIMUM(int)
LANES_MINIMUM(unsigned)
LANES_MINIMUM(long long)
LANES_MINIMUM(unsigned long long)
LANES_MINIMUM(float)
LANES_MINIMUM(double)
#undef LANES_MINIMUM

// What the other operand of an atomic converts to, without a say in what T is.
template <typename T> struct lanes_same {
    using type = T;
};
template <typename T> using lanes_same_t = typename lanes_same<T>::type;

#define LANES_ATOMIC(name, changed)                                                 \
    template <typename T> LANES_API T name(volatile T *at, lanes_same_t<T> value)   \
    {                                                                               \
        emulator::step();                                                              \
        const T old = *at;                                                          \
        *at = changed;                                                              \
        return old;                                                                 \
    }
LANES_ATOMIC(atomicAdd, old + value)
LANES_ATOMIC(atomicSub, old - value)
LANES_ATOMIC(atomicExch, value)
LANES_ATOMIC(atomicMin, value < old ? value : old)
LANES_ATOMIC(atomicMax, old < value ? value : old)
LANES_ATOMIC(atomicAnd, old & value)
LANES_ATOMIC(atomicOr, old | value)
LANES_ATOMIC(atomicXor, old ^ value)
LANES_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
#undef LANES_ATOMIC
template <typename T> LANES_API T atomicCAS(volatile T *at, lanes_same_t<T> expected, lanes_same_t<T> value)
{
    emulator::step();
    const T old = *at;
    if (old == expected)
        *at = value;
    return old;
}
