// CUDA's device functions that HIP does not have, bit for bit as CUDA computes them.
//
// SIMD within a word (__vadd4 and its family), minima and maxima of three, dot products of bytes,
// arithmetic that rounds down, up or to zero, stores and loads with a cache hint, byte swaps, and means
// of integers, which HIP's headers compute otherwise.
// Compiled for NVIDIA, each is CUDA's own.
//
// Compiles from ROCm 5.2 on, in hipRTC too. Do not compile it with -ffast-math: like CUDA's, the
// functions that round otherwise than to nearest depend on the order of their operations.
// Written by hipport (Apache-2.0): no conversion changes this file.
#ifndef HIPPORT_DEVICE_H
#define HIPPORT_DEVICE_H

// A host compiler that is told of no platform reads none of HIP's headers.
#if !defined(__HIPCC_RTC__) && !defined(__CUDACC_RTC__) &&                          \
    (defined(__HIP__) || defined(__CUDACC__) || defined(__HIP_PLATFORM_AMD__) ||     \
     defined(__HIP_PLATFORM_NVIDIA__))
#include <hip/hip_runtime.h>
#endif

#if defined(__HIPCC_RTC__) || (defined(__clang__) && defined(__HIP__))

#define HIPPORT_INLINE __device__ inline __attribute__((always_inline))

namespace hipport {

// Two halves or four bytes of a word, each taken as `type`; the expression is of x and y.
#define HIPPORT_PARTS(name, type, mask, expression)                                 \
    HIPPORT_INLINE unsigned name(unsigned a, unsigned b)                            \
    {                                                                               \
        unsigned result = 0;                                                        \
        for (int at = 0; at < 32; at += 8 * static_cast<int>(sizeof(type))) {       \
            const int x = static_cast<type>(a >> at), y = static_cast<type>(b >> at); \
            result |= (static_cast<unsigned>(expression) & mask) << at;             \
        }                                                                           \
        return result;                                                              \
    }
#define HIPPORT_PARTS_OF_ONE(name, type, mask, expression)                          \
    HIPPORT_INLINE unsigned name(unsigned a)                                        \
    {                                                                               \
        unsigned result = 0;                                                        \
        for (int at = 0; at < 32; at += 8 * static_cast<int>(sizeof(type))) {       \
            const int x = static_cast<type>(a >> at);                               \
            result |= (static_cast<unsigned>(expression) & mask) << at;             \
        }                                                                           \
        return result;                                                              \
    }
#define HIPPORT_SUM_OF_PARTS(name, type)                                            \
    HIPPORT_INLINE unsigned name(unsigned a, unsigned b)                            \
    {                                                                               \
        unsigned result = 0;                                                        \
        for (int at = 0; at < 32; at += 8 * static_cast<int>(sizeof(type))) {       \
            const int x = static_cast<type>(a >> at), y = static_cast<type>(b >> at); \
            result += static_cast<unsigned>(x < y ? y - x : x - y);                 \
        }                                                                           \
        return result;                                                              \
    }

HIPPORT_INLINE int within(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

HIPPORT_PARTS_OF_ONE(vabs2, short, 0xffffu, x < 0 ? -x : x)
HIPPORT_PARTS_OF_ONE(vabs4, signed char, 0xffu, x < 0 ? -x : x)
HIPPORT_PARTS_OF_ONE(vabsss2, short, 0xffffu, within(x < 0 ? -x : x, -32768, 32767))
HIPPORT_PARTS_OF_ONE(vabsss4, signed char, 0xffu, within(x < 0 ? -x : x, -128, 127))
HIPPORT_PARTS_OF_ONE(vneg2, short, 0xffffu, -x)
HIPPORT_PARTS_OF_ONE(vneg4, signed char, 0xffu, -x)
HIPPORT_PARTS_OF_ONE(vnegss2, short, 0xffffu, within(-x, -32768, 32767))
HIPPORT_PARTS_OF_ONE(vnegss4, signed char, 0xffu, within(-x, -128, 127))
HIPPORT_PARTS(vadd2, unsigned short, 0xffffu, x + y)
HIPPORT_PARTS(vadd4, unsigned char, 0xffu, x + y)
HIPPORT_PARTS(vaddss2, short, 0xffffu, within(x + y, -32768, 32767))
HIPPORT_PARTS(vaddss4, signed char, 0xffu, within(x + y, -128, 127))
HIPPORT_PARTS(vaddus2, unsigned short, 0xffffu, within(x + y, 0, 65535))
HIPPORT_PARTS(vaddus4, unsigned char, 0xffu, within(x + y, 0, 255))
HIPPORT_PARTS(vsub2, unsigned short, 0xffffu, x - y)
HIPPORT_PARTS(vsub4, unsigned char, 0xffu, x - y)
HIPPORT_PARTS(vsubss2, short, 0xffffu, within(x - y, -32768, 32767))
HIPPORT_PARTS(vsubss4, signed char, 0xffu, within(x - y, -128, 127))
HIPPORT_PARTS(vsubus2, unsigned short, 0xffffu, within(x - y, 0, 65535))
HIPPORT_PARTS(vsubus4, unsigned char, 0xffu, within(x - y, 0, 255))
HIPPORT_PARTS(vavgs2, short, 0xffffu, (x + y + (x + y >= 0)) >> 1)
HIPPORT_PARTS(vavgs4, signed char, 0xffu, (x + y + (x + y >= 0)) >> 1)
HIPPORT_PARTS(vavgu2, unsigned short, 0xffffu, (x + y + 1) >> 1)
HIPPORT_PARTS(vavgu4, unsigned char, 0xffu, (x + y + 1) >> 1)
HIPPORT_PARTS(vhaddu2, unsigned short, 0xffffu, (x + y) >> 1)
HIPPORT_PARTS(vhaddu4, unsigned char, 0xffu, (x + y) >> 1)
HIPPORT_PARTS(vabsdiffs2, short, 0xffffu, x < y ? y - x : x - y)
HIPPORT_PARTS(vabsdiffs4, signed char, 0xffu, x < y ? y - x : x - y)
HIPPORT_PARTS(vabsdiffu2, unsigned short, 0xffffu, x < y ? y - x : x - y)
HIPPORT_PARTS(vabsdiffu4, unsigned char, 0xffu, x < y ? y - x : x - y)
HIPPORT_PARTS(vmaxs2, short, 0xffffu, x < y ? y : x)
HIPPORT_PARTS(vmaxs4, signed char, 0xffu, x < y ? y : x)
HIPPORT_PARTS(vmaxu2, unsigned short, 0xffffu, x < y ? y : x)
HIPPORT_PARTS(vmaxu4, unsigned char, 0xffu, x < y ? y : x)
HIPPORT_PARTS(vmins2, short, 0xffffu, x < y ? x : y)
HIPPORT_PARTS(vmins4, signed char, 0xffu, x < y ? x : y)
HIPPORT_PARTS(vminu2, unsigned short, 0xffffu, x < y ? x : y)
HIPPORT_PARTS(vminu4, unsigned char, 0xffu, x < y ? x : y)
HIPPORT_PARTS(vcmpeq2, unsigned short, 0xffffu, -(x == y))
HIPPORT_PARTS(vcmpeq4, unsigned char, 0xffu, -(x == y))
HIPPORT_PARTS(vseteq2, unsigned short, 0xffffu, x == y)
HIPPORT_PARTS(vseteq4, unsigned char, 0xffu, x == y)
HIPPORT_PARTS(vcmpne2, unsigned short, 0xffffu, -(x != y))
HIPPORT_PARTS(vcmpne4, unsigned char, 0xffu, -(x != y))
HIPPORT_PARTS(vsetne2, unsigned short, 0xffffu, x != y)
HIPPORT_PARTS(vsetne4, unsigned char, 0xffu, x != y)
HIPPORT_PARTS(vcmpges2, short, 0xffffu, -(x >= y))
HIPPORT_PARTS(vcmpges4, signed char, 0xffu, -(x >= y))
HIPPORT_PARTS(vsetges2, short, 0xffffu, x >= y)
HIPPORT_PARTS(vsetges4, signed char, 0xffu, x >= y)
HIPPORT_PARTS(vcmpgeu2, unsigned short, 0xffffu, -(x >= y))
HIPPORT_PARTS(vcmpgeu4, unsigned char, 0xffu, -(x >= y))
HIPPORT_PARTS(vsetgeu2, unsigned short, 0xffffu, x >= y)
HIPPORT_PARTS(vsetgeu4, unsigned char, 0xffu, x >= y)
HIPPORT_PARTS(vcmpgts2, short, 0xffffu, -(x > y))
HIPPORT_PARTS(vcmpgts4, signed char, 0xffu, -(x > y))
HIPPORT_PARTS(vsetgts2, short, 0xffffu, x > y)
HIPPORT_PARTS(vsetgts4, signed char, 0xffu, x > y)
HIPPORT_PARTS(vcmpgtu2, unsigned short, 0xffffu, -(x > y))
HIPPORT_PARTS(vcmpgtu4, unsigned char, 0xffu, -(x > y))
HIPPORT_PARTS(vsetgtu2, unsigned short, 0xffffu, x > y)
HIPPORT_PARTS(vsetgtu4, unsigned char, 0xffu, x > y)
HIPPORT_PARTS(vcmples2, short, 0xffffu, -(x <= y))
HIPPORT_PARTS(vcmples4, signed char, 0xffu, -(x <= y))
HIPPORT_PARTS(vsetles2, short, 0xffffu, x <= y)
HIPPORT_PARTS(vsetles4, signed char, 0xffu, x <= y)
HIPPORT_PARTS(vcmpleu2, unsigned short, 0xffffu, -(x <= y))
HIPPORT_PARTS(vcmpleu4, unsigned char, 0xffu, -(x <= y))
HIPPORT_PARTS(vsetleu2, unsigned short, 0xffffu, x <= y)
HIPPORT_PARTS(vsetleu4, unsigned char, 0xffu, x <= y)
HIPPORT_PARTS(vcmplts2, short, 0xffffu, -(x < y))
HIPPORT_PARTS(vcmplts4, signed char, 0xffu, -(x < y))
HIPPORT_PARTS(vsetlts2, short, 0xffffu, x < y)
HIPPORT_PARTS(vsetlts4, signed char, 0xffu, x < y)
HIPPORT_PARTS(vcmpltu2, unsigned short, 0xffffu, -(x < y))
HIPPORT_PARTS(vcmpltu4, unsigned char, 0xffu, -(x < y))
HIPPORT_PARTS(vsetltu2, unsigned short, 0xffffu, x < y)
HIPPORT_PARTS(vsetltu4, unsigned char, 0xffu, x < y)
HIPPORT_SUM_OF_PARTS(vsads2, short)
HIPPORT_SUM_OF_PARTS(vsads4, signed char)
HIPPORT_SUM_OF_PARTS(vsadu2, unsigned short)
HIPPORT_SUM_OF_PARTS(vsadu4, unsigned char)
#undef HIPPORT_PARTS
#undef HIPPORT_PARTS_OF_ONE
#undef HIPPORT_SUM_OF_PARTS

// Of words, and of their halves: the sum wraps round in the width of the type.
template <typename T> HIPPORT_INLINE T least(T a, T b) { return b < a ? b : a; }
template <typename T> HIPPORT_INLINE T most(T a, T b) { return a < b ? b : a; }

#define HIPPORT_WORDS(name, type, expression)                                       \
    HIPPORT_INLINE type name(type a, type b, type c)                                \
    {                                                                               \
        const type sum = static_cast<type>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); \
        (void)sum;                                                                  \
        return expression;                                                          \
    }
#define HIPPORT_HALVES(name, type, expression)                                      \
    HIPPORT_INLINE unsigned name(unsigned first, unsigned second, unsigned third)   \
    {                                                                               \
        unsigned result = 0;                                                        \
        for (int at = 0; at < 32; at += 16) {                                       \
            const type a = static_cast<type>(first >> at), b = static_cast<type>(second >> at); \
            const type c = static_cast<type>(third >> at), sum = static_cast<type>(a + b); \
            const type zero = 0;                                                    \
            (void)sum, (void)zero;                                                  \
            result |= (static_cast<unsigned>(expression) & 0xffffu) << at;          \
        }                                                                           \
        return result;                                                              \
    }
HIPPORT_WORDS(viaddmax_s32, int, most(sum, c))
HIPPORT_WORDS(vimax3_s32, int, most(most(a, b), c))
HIPPORT_WORDS(viaddmax_u32, unsigned, most(sum, c))
HIPPORT_WORDS(vimax3_u32, unsigned, most(most(a, b), c))
HIPPORT_HALVES(viaddmax_s16x2, short, most(sum, c))
HIPPORT_HALVES(vimax3_s16x2, short, most(most(a, b), c))
HIPPORT_HALVES(viaddmax_u16x2, unsigned short, most(sum, c))
HIPPORT_HALVES(vimax3_u16x2, unsigned short, most(most(a, b), c))
HIPPORT_WORDS(viaddmax_s32_relu, int, most(most(sum, c), 0))
HIPPORT_WORDS(vimax3_s32_relu, int, most(most(most(a, b), c), 0))
HIPPORT_HALVES(viaddmax_s16x2_relu, short, most(most(sum, c), zero))
HIPPORT_HALVES(vimax3_s16x2_relu, short, most(most(most(a, b), c), zero))
HIPPORT_WORDS(viaddmin_s32, int, least(sum, c))
HIPPORT_WORDS(vimin3_s32, int, least(least(a, b), c))
HIPPORT_WORDS(viaddmin_u32, unsigned, least(sum, c))
HIPPORT_WORDS(vimin3_u32, unsigned, least(least(a, b), c))
HIPPORT_HALVES(viaddmin_s16x2, short, least(sum, c))
HIPPORT_HALVES(vimin3_s16x2, short, least(least(a, b), c))
HIPPORT_HALVES(viaddmin_u16x2, unsigned short, least(sum, c))
HIPPORT_HALVES(vimin3_u16x2, unsigned short, least(least(a, b), c))
HIPPORT_WORDS(viaddmin_s32_relu, int, most(least(sum, c), 0))
HIPPORT_WORDS(vimin3_s32_relu, int, most(least(least(a, b), c), 0))
HIPPORT_HALVES(viaddmin_s16x2_relu, short, most(least(sum, c), zero))
HIPPORT_HALVES(vimin3_s16x2_relu, short, most(least(least(a, b), c), zero))
#undef HIPPORT_WORDS
#undef HIPPORT_HALVES

HIPPORT_INLINE int vimax_s32_relu(int a, int b) { return most(most(a, b), 0); }
HIPPORT_INLINE unsigned vimax_s16x2_relu(unsigned a, unsigned b) { return vimax3_s16x2_relu(a, b, 0x80008000u); }
HIPPORT_INLINE int vimin_s32_relu(int a, int b) { return most(least(a, b), 0); }
HIPPORT_INLINE unsigned vimin_s16x2_relu(unsigned a, unsigned b) { return vimin3_s16x2_relu(a, b, 0x7fff7fffu); }

// The last arguments say whether the first one was taken.
HIPPORT_INLINE int vibmax_s32(int a, int b, bool *first)
{
    *first = a >= b;
    return most(a, b);
}
HIPPORT_INLINE unsigned vibmax_u32(unsigned a, unsigned b, bool *first)
{
    *first = a >= b;
    return most(a, b);
}
HIPPORT_INLINE unsigned vibmax_s16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    *high = static_cast<short>(a >> 16) >= static_cast<short>(b >> 16);
    *low = static_cast<short>(a) >= static_cast<short>(b);
    return (*high ? a & 0xffff0000u : b & 0xffff0000u) | (*low ? a & 0xffffu : b & 0xffffu);
}
HIPPORT_INLINE unsigned vibmax_u16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    *high = static_cast<unsigned short>(a >> 16) >= static_cast<unsigned short>(b >> 16);
    *low = static_cast<unsigned short>(a) >= static_cast<unsigned short>(b);
    return (*high ? a & 0xffff0000u : b & 0xffff0000u) | (*low ? a & 0xffffu : b & 0xffffu);
}
HIPPORT_INLINE int vibmin_s32(int a, int b, bool *first)
{
    *first = a <= b;
    return least(a, b);
}
HIPPORT_INLINE unsigned vibmin_u32(unsigned a, unsigned b, bool *first)
{
    *first = a <= b;
    return least(a, b);
}
HIPPORT_INLINE unsigned vibmin_s16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    *high = static_cast<short>(a >> 16) <= static_cast<short>(b >> 16);
    *low = static_cast<short>(a) <= static_cast<short>(b);
    return (*high ? a & 0xffff0000u : b & 0xffff0000u) | (*low ? a & 0xffffu : b & 0xffffu);
}
HIPPORT_INLINE unsigned vibmin_u16x2(unsigned a, unsigned b, bool *high, bool *low)
{
    *high = static_cast<unsigned short>(a >> 16) <= static_cast<unsigned short>(b >> 16);
    *low = static_cast<unsigned short>(a) <= static_cast<unsigned short>(b);
    return (*high ? a & 0xffff0000u : b & 0xffff0000u) | (*low ? a & 0xffffu : b & 0xffffu);
}

// Dot products of four bytes, and of two halves with two bytes, added to a word.
HIPPORT_INLINE int dp4a(int a, int b, int c)
{
    for (int at = 0; at < 32; at += 8)
        c += static_cast<signed char>(a >> at) * static_cast<signed char>(b >> at);
    return c;
}
HIPPORT_INLINE unsigned dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int at = 0; at < 32; at += 8)
        c += static_cast<unsigned>(static_cast<unsigned char>(a >> at)) * static_cast<unsigned char>(b >> at);
    return c;
}
HIPPORT_INLINE int dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
HIPPORT_INLINE unsigned dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return c + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

HIPPORT_INLINE int dp2a_lo(int a, int b, int c)
{
    return c + static_cast<short>(a) * static_cast<signed char>(b) +
           static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
HIPPORT_INLINE unsigned dp2a_lo(unsigned a, unsigned b, unsigned c)
{
    return c + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu);
}
HIPPORT_INLINE int dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
HIPPORT_INLINE unsigned dp2a_lo(ushort2 a, uchar4 b, unsigned c)
{
    return c + static_cast<unsigned>(a.x * b.x) + static_cast<unsigned>(a.y * b.y);
}
HIPPORT_INLINE int dp2a_hi(int a, int b, int c) { return dp2a_lo(a, b >> 16, c); }
HIPPORT_INLINE unsigned dp2a_hi(unsigned a, unsigned b, unsigned c) { return dp2a_lo(a, b >> 16, c); }
HIPPORT_INLINE int dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
HIPPORT_INLINE unsigned dp2a_hi(ushort2 a, uchar4 b, unsigned c)
{
    return c + static_cast<unsigned>(a.x * b.z) + static_cast<unsigned>(a.y * b.w);
}

// Means of integers, rounded down and up: sums in HIP's headers overflow, or are joined by ||.
HIPPORT_INLINE int hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
HIPPORT_INLINE int rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
HIPPORT_INLINE unsigned uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
HIPPORT_INLINE unsigned urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }

HIPPORT_INLINE unsigned short bswap16(unsigned short value)
{
    return static_cast<unsigned short>(value << 8 | value >> 8);
}
HIPPORT_INLINE unsigned bswap32(unsigned value)
{
    return value << 24 | (value & 0xff00u) << 8 | (value >> 8 & 0xff00u) | value >> 24;
}
HIPPORT_INLINE unsigned long long bswap64(unsigned long long value)
{
    return static_cast<unsigned long long>(bswap32(static_cast<unsigned>(value))) << 32 |
           bswap32(static_cast<unsigned>(value >> 32));
}

// Loads and stores with a hint for the caches (PTX ISA, "Cache Operators"). Those of CUDA that pass
// by the caches of one processor, to the L2 (cg) or to memory that others write (cv, wt), serve to
// read and write what other blocks do meanwhile: they are relaxed atomic operations of the device
// and of the system, which go to the same place, and which no compiler takes out of a loop. Vectors
// go by parts, as in PTX's memory model. The other hints change no value and are dropped. CUDA's
// stores, __ldlu and __ldcv are barriers to the compiler, and so are these.
template <typename T> struct Same
{
    using type = T;
};
template <int size> struct Part;
template <> struct Part<1>
{
    typedef unsigned char __attribute__((__may_alias__)) type;
};
template <> struct Part<2>
{
    typedef unsigned short __attribute__((__may_alias__)) type;
};
template <> struct Part<4>
{
    typedef unsigned __attribute__((__may_alias__)) type;
};
template <> struct Part<8>
{
    typedef unsigned long long __attribute__((__may_alias__)) type;
};
template <typename T> struct Parts
{
    static constexpr int size = alignof(T) < 8 ? alignof(T) : 8;
    static constexpr int count = sizeof(T) / size;
    using type = typename Part<size>::type;
};
template <int scope, typename T> HIPPORT_INLINE T relaxed_load(const T *from)
{
    typename Parts<T>::type parts[Parts<T>::count];
    const auto *each = reinterpret_cast<const typename Parts<T>::type *>(from);
    for (int at = 0; at < Parts<T>::count; ++at)
        parts[at] = __hip_atomic_load(each + at, __ATOMIC_RELAXED, scope);
    T value;
    __builtin_memcpy(&value, parts, sizeof value);
    return value;
}
template <int scope, typename T> HIPPORT_INLINE void relaxed_store(T *to, const T &value)
{
    typename Parts<T>::type parts[Parts<T>::count];
    __builtin_memcpy(parts, &value, sizeof value);
    auto *each = reinterpret_cast<typename Parts<T>::type *>(to);
    for (int at = 0; at < Parts<T>::count; ++at)
        __hip_atomic_store(each + at, parts[at], __ATOMIC_RELAXED, scope);
}
HIPPORT_INLINE void compiler_barrier() { __asm__ __volatile__("" ::: "memory"); }

template <typename T> HIPPORT_INLINE T ldca(const T *from) { return *from; }
template <typename T> HIPPORT_INLINE T ldcs(const T *from) { return *from; }
template <typename T> HIPPORT_INLINE T ldcg(const T *from)
{
    return relaxed_load<__HIP_MEMORY_SCOPE_AGENT>(from);
}
template <typename T> HIPPORT_INLINE T ldlu(const T *from)
{
    compiler_barrier();
    return *from;
}
template <typename T> HIPPORT_INLINE T ldcv(const T *from)
{
    compiler_barrier();
    return relaxed_load<__HIP_MEMORY_SCOPE_SYSTEM>(from);
}
template <typename T> HIPPORT_INLINE void stwb(T *to, typename Same<T>::type value)
{
    *to = value;
    compiler_barrier();
}
template <typename T> HIPPORT_INLINE void stcs(T *to, typename Same<T>::type value)
{
    *to = value;
    compiler_barrier();
}
template <typename T> HIPPORT_INLINE void stcg(T *to, typename Same<T>::type value)
{
    relaxed_store<__HIP_MEMORY_SCOPE_AGENT>(to, value);
    compiler_barrier();
}
template <typename T> HIPPORT_INLINE void stwt(T *to, typename Same<T>::type value)
{
    relaxed_store<__HIP_MEMORY_SCOPE_SYSTEM>(to, value);
    compiler_barrier();
}

// Rounding. Each function takes a neighbour of the exact result and on which side of it the exact
// result is, which the next wider type or the error of the operation tells, and steps where the
// direction asks for it. A step down from infinity is the largest number.
HIPPORT_INLINE float with_bits(float, unsigned bits) { return __uint_as_float(bits); }
HIPPORT_INLINE unsigned bits_of(float value) { return __float_as_uint(value); }
HIPPORT_INLINE double with_bits(double, unsigned long long bits)
{
    return __longlong_as_double(static_cast<long long>(bits));
}
HIPPORT_INLINE unsigned long long bits_of(double value)
{
    return static_cast<unsigned long long>(__double_as_longlong(value));
}

template <typename T> HIPPORT_INLINE T above(T value)
{
    if (value == 0)
        return with_bits(value, 1);
    return with_bits(value, bits_of(value) + (value > 0 ? 1 : -1));
}
template <typename T> HIPPORT_INLINE T below(T value) { return -above(-value); }

template <typename T> HIPPORT_INLINE int side(T exact, T nearest)
{
    return exact > nearest ? 1 : exact < nearest ? -1 : 0;
}

// IEEE 754, 6.3: a sum that is exactly zero is -0 where it is rounded down, but for +0 + +0.
struct Down
{
    template <typename T> HIPPORT_INLINE static T step(T nearest, int where)
    {
        return where < 0 ? below(nearest) : nearest;
    }
    template <typename T> HIPPORT_INLINE static T zero(T rounded, double a, double b)
    {
        const bool is_zero = rounded == 0 && a == -b && !(bits_of(a) == 0 && bits_of(b) == 0);
        return is_zero ? -static_cast<T>(0) : rounded;
    }
};
struct Up
{
    template <typename T> HIPPORT_INLINE static T step(T nearest, int where)
    {
        return where > 0 ? above(nearest) : nearest;
    }
    template <typename T> HIPPORT_INLINE static T zero(T rounded, double, double) { return rounded; }
};
struct ToZero
{
    template <typename T> HIPPORT_INLINE static T step(T nearest, int where)
    {
        return nearest > 0 ? Down::step(nearest, where) : nearest < 0 ? Up::step(nearest, where) : nearest;
    }
    template <typename T> HIPPORT_INLINE static T zero(T rounded, double, double) { return rounded; }
};

// What a sum of two numbers loses; T. J. Dekker, "A floating-point technique for extending the
// available precision" (1971).
HIPPORT_INLINE double lost(double a, double b, double sum)
{
    return fabs(a) < fabs(b) ? a - (sum - b) : b - (sum - a);
}

HIPPORT_INLINE int side_of_sum(double a, double b, double sum, float nearest)
{
    const int where = side(sum, static_cast<double>(nearest));
    return where ? where : side(lost(a, b, sum), 0.0);
}
HIPPORT_INLINE int side_of_sum(double a, double b, double sum)
{
    if (isinf(sum))
        return isinf(a) || isinf(b) ? 0 : sum > 0 ? -1 : 1;
    return side(lost(a, b, sum), 0.0);
}
// Where the error of a product or a quotient would be too small for a double, it is worked out of
// operands that are larger by a power of two.
HIPPORT_INLINE int side_of_product(double a, double b, double product)
{
    if (isinf(product))
        return isinf(a) || isinf(b) ? 0 : product > 0 ? -1 : 1;
    if (fabs(product) < 0x1p-900) {
        a *= 0x1p600;
        b *= 0x1p600;
        product = product * 0x1p600 * 0x1p600;
    }
    return side(fma(a, b, -product), 0.0);
}
HIPPORT_INLINE int side_of_quotient(double a, double b, double quotient)
{
    if (b == 0 || isinf(a) || isinf(b))
        return 0;
    if (isinf(quotient))
        return quotient > 0 ? -1 : 1;
    if (fabs(a) < 0x1p-900) {
        a *= 0x1p600;
        quotient *= 0x1p600;
    }
    const int where = side(fma(-quotient, b, a), 0.0);
    return b < 0 ? -where : where;
}
HIPPORT_INLINE int side_of_root(double a, double root)
{
    if (isinf(a))
        return 0;
    if (a < 0x1p-900) {
        a *= 0x1p600;
        root *= 0x1p300;
    }
    return side(fma(-root, root, a), 0.0);
}

template <typename D> HIPPORT_INLINE float rounded_fma(float a, float b, float c)
{
    const double product = static_cast<double>(a) * b, sum = product + c;
    const float nearest = static_cast<float>(sum);
    return D::zero(D::step(nearest, side_of_sum(product, c, sum, nearest)), product, c);
}
template <typename D> HIPPORT_INLINE float rounded_product(float a, float b)
{
    const double product = static_cast<double>(a) * b;
    const float nearest = static_cast<float>(product);
    return D::step(nearest, side(product, static_cast<double>(nearest)));
}
template <typename D> HIPPORT_INLINE float rounded_quotient(float a, float b)
{
    const float nearest = static_cast<float>(static_cast<double>(a) / b);
    return D::step(nearest, side_of_quotient(a, b, nearest));
}
template <typename D> HIPPORT_INLINE float rounded_root(float a)
{
    const float nearest = static_cast<float>(sqrt(static_cast<double>(a)));
    return D::step(nearest, side(static_cast<double>(a), static_cast<double>(nearest) * nearest));
}
template <typename D> HIPPORT_INLINE double rounded_sum(double a, double b)
{
    return D::zero(D::step(a + b, side_of_sum(a, b, a + b)), a, b);
}
template <typename D> HIPPORT_INLINE double rounded_product(double a, double b)
{
    return D::step(a * b, side_of_product(a, b, a * b));
}
template <typename D> HIPPORT_INLINE double rounded_quotient(double a, double b)
{
    return D::step(a / b, side_of_quotient(a, b, a / b));
}
template <typename D> HIPPORT_INLINE double rounded_root(double a)
{
    const double nearest = sqrt(a);
    return D::step(nearest, side_of_root(a, nearest));
}

HIPPORT_INLINE float fmaf_rd(float a, float b, float c) { return rounded_fma<Down>(a, b, c); }
HIPPORT_INLINE float fadd_rd(float a, float b) { return rounded_fma<Down>(1.0f, a, b); }
HIPPORT_INLINE float fsub_rd(float a, float b) { return rounded_fma<Down>(1.0f, a, -b); }
HIPPORT_INLINE float fmul_rd(float a, float b) { return rounded_product<Down>(a, b); }
HIPPORT_INLINE float fdiv_rd(float a, float b) { return rounded_quotient<Down>(a, b); }
HIPPORT_INLINE float frcp_rd(float a) { return rounded_quotient<Down>(1.0f, a); }
HIPPORT_INLINE float fsqrt_rd(float a) { return rounded_root<Down>(a); }
HIPPORT_INLINE double dadd_rd(double a, double b) { return rounded_sum<Down>(a, b); }
HIPPORT_INLINE double dsub_rd(double a, double b) { return rounded_sum<Down>(a, -b); }
HIPPORT_INLINE double dmul_rd(double a, double b) { return rounded_product<Down>(a, b); }
HIPPORT_INLINE double ddiv_rd(double a, double b) { return rounded_quotient<Down>(a, b); }
HIPPORT_INLINE double drcp_rd(double a) { return rounded_quotient<Down>(1.0, a); }
HIPPORT_INLINE double dsqrt_rd(double a) { return rounded_root<Down>(a); }
HIPPORT_INLINE float fmaf_ru(float a, float b, float c) { return rounded_fma<Up>(a, b, c); }
HIPPORT_INLINE float fadd_ru(float a, float b) { return rounded_fma<Up>(1.0f, a, b); }
HIPPORT_INLINE float fsub_ru(float a, float b) { return rounded_fma<Up>(1.0f, a, -b); }
HIPPORT_INLINE float fmul_ru(float a, float b) { return rounded_product<Up>(a, b); }
HIPPORT_INLINE float fdiv_ru(float a, float b) { return rounded_quotient<Up>(a, b); }
HIPPORT_INLINE float frcp_ru(float a) { return rounded_quotient<Up>(1.0f, a); }
HIPPORT_INLINE float fsqrt_ru(float a) { return rounded_root<Up>(a); }
HIPPORT_INLINE double dadd_ru(double a, double b) { return rounded_sum<Up>(a, b); }
HIPPORT_INLINE double dsub_ru(double a, double b) { return rounded_sum<Up>(a, -b); }
HIPPORT_INLINE double dmul_ru(double a, double b) { return rounded_product<Up>(a, b); }
HIPPORT_INLINE double ddiv_ru(double a, double b) { return rounded_quotient<Up>(a, b); }
HIPPORT_INLINE double drcp_ru(double a) { return rounded_quotient<Up>(1.0, a); }
HIPPORT_INLINE double dsqrt_ru(double a) { return rounded_root<Up>(a); }
HIPPORT_INLINE float fmaf_rz(float a, float b, float c) { return rounded_fma<ToZero>(a, b, c); }
HIPPORT_INLINE float fadd_rz(float a, float b) { return rounded_fma<ToZero>(1.0f, a, b); }
HIPPORT_INLINE float fsub_rz(float a, float b) { return rounded_fma<ToZero>(1.0f, a, -b); }
HIPPORT_INLINE float fmul_rz(float a, float b) { return rounded_product<ToZero>(a, b); }
HIPPORT_INLINE float fdiv_rz(float a, float b) { return rounded_quotient<ToZero>(a, b); }
HIPPORT_INLINE float frcp_rz(float a) { return rounded_quotient<ToZero>(1.0f, a); }
HIPPORT_INLINE float fsqrt_rz(float a) { return rounded_root<ToZero>(a); }
HIPPORT_INLINE double dadd_rz(double a, double b) { return rounded_sum<ToZero>(a, b); }
HIPPORT_INLINE double dsub_rz(double a, double b) { return rounded_sum<ToZero>(a, -b); }
HIPPORT_INLINE double dmul_rz(double a, double b) { return rounded_product<ToZero>(a, b); }
HIPPORT_INLINE double ddiv_rz(double a, double b) { return rounded_quotient<ToZero>(a, b); }
HIPPORT_INLINE double drcp_rz(double a) { return rounded_quotient<ToZero>(1.0, a); }
HIPPORT_INLINE double dsqrt_rz(double a) { return rounded_root<ToZero>(a); }

} // namespace hipport

#undef HIPPORT_INLINE

#elif defined(__CUDACC__) && !defined(__HIP_PLATFORM_AMD__)

namespace hipport {

// One function of CUDA's under another name, whatever it takes.
#define HIPPORT_CUDA(name, cuda)                                                    \
    template <typename... A> __device__ __forceinline__ auto name(A... arguments)   \
        -> decltype(cuda(arguments...))                                             \
    {                                                                               \
        return cuda(arguments...);                                                  \
    }
HIPPORT_CUDA(vabs2, __vabs2)
HIPPORT_CUDA(vabs4, __vabs4)
HIPPORT_CUDA(vabsss2, __vabsss2)
HIPPORT_CUDA(vabsss4, __vabsss4)
HIPPORT_CUDA(vneg2, __vneg2)
HIPPORT_CUDA(vneg4, __vneg4)
HIPPORT_CUDA(vnegss2, __vnegss2)
HIPPORT_CUDA(vnegss4, __vnegss4)
HIPPORT_CUDA(vadd2, __vadd2)
HIPPORT_CUDA(vadd4, __vadd4)
HIPPORT_CUDA(vaddss2, __vaddss2)
HIPPORT_CUDA(vaddss4, __vaddss4)
HIPPORT_CUDA(vaddus2, __vaddus2)
HIPPORT_CUDA(vaddus4, __vaddus4)
HIPPORT_CUDA(vsub2, __vsub2)
HIPPORT_CUDA(vsub4, __vsub4)
HIPPORT_CUDA(vsubss2, __vsubss2)
HIPPORT_CUDA(vsubss4, __vsubss4)
HIPPORT_CUDA(vsubus2, __vsubus2)
HIPPORT_CUDA(vsubus4, __vsubus4)
HIPPORT_CUDA(vavgs2, __vavgs2)
HIPPORT_CUDA(vavgs4, __vavgs4)
HIPPORT_CUDA(vavgu2, __vavgu2)
HIPPORT_CUDA(vavgu4, __vavgu4)
HIPPORT_CUDA(vhaddu2, __vhaddu2)
HIPPORT_CUDA(vhaddu4, __vhaddu4)
HIPPORT_CUDA(vabsdiffs2, __vabsdiffs2)
HIPPORT_CUDA(vabsdiffs4, __vabsdiffs4)
HIPPORT_CUDA(vabsdiffu2, __vabsdiffu2)
HIPPORT_CUDA(vabsdiffu4, __vabsdiffu4)
HIPPORT_CUDA(vmaxs2, __vmaxs2)
HIPPORT_CUDA(vmaxs4, __vmaxs4)
HIPPORT_CUDA(vmaxu2, __vmaxu2)
HIPPORT_CUDA(vmaxu4, __vmaxu4)
HIPPORT_CUDA(vmins2, __vmins2)
HIPPORT_CUDA(vmins4, __vmins4)
HIPPORT_CUDA(vminu2, __vminu2)
HIPPORT_CUDA(vminu4, __vminu4)
HIPPORT_CUDA(vcmpeq2, __vcmpeq2)
HIPPORT_CUDA(vcmpeq4, __vcmpeq4)
HIPPORT_CUDA(vseteq2, __vseteq2)
HIPPORT_CUDA(vseteq4, __vseteq4)
HIPPORT_CUDA(vcmpne2, __vcmpne2)
HIPPORT_CUDA(vcmpne4, __vcmpne4)
HIPPORT_CUDA(vsetne2, __vsetne2)
HIPPORT_CUDA(vsetne4, __vsetne4)
HIPPORT_CUDA(vcmpges2, __vcmpges2)
HIPPORT_CUDA(vcmpges4, __vcmpges4)
HIPPORT_CUDA(vsetges2, __vsetges2)
HIPPORT_CUDA(vsetges4, __vsetges4)
HIPPORT_CUDA(vcmpgeu2, __vcmpgeu2)
HIPPORT_CUDA(vcmpgeu4, __vcmpgeu4)
HIPPORT_CUDA(vsetgeu2, __vsetgeu2)
HIPPORT_CUDA(vsetgeu4, __vsetgeu4)
HIPPORT_CUDA(vcmpgts2, __vcmpgts2)
HIPPORT_CUDA(vcmpgts4, __vcmpgts4)
HIPPORT_CUDA(vsetgts2, __vsetgts2)
HIPPORT_CUDA(vsetgts4, __vsetgts4)
HIPPORT_CUDA(vcmpgtu2, __vcmpgtu2)
HIPPORT_CUDA(vcmpgtu4, __vcmpgtu4)
HIPPORT_CUDA(vsetgtu2, __vsetgtu2)
HIPPORT_CUDA(vsetgtu4, __vsetgtu4)
HIPPORT_CUDA(vcmples2, __vcmples2)
HIPPORT_CUDA(vcmples4, __vcmples4)
HIPPORT_CUDA(vsetles2, __vsetles2)
HIPPORT_CUDA(vsetles4, __vsetles4)
HIPPORT_CUDA(vcmpleu2, __vcmpleu2)
HIPPORT_CUDA(vcmpleu4, __vcmpleu4)
HIPPORT_CUDA(vsetleu2, __vsetleu2)
HIPPORT_CUDA(vsetleu4, __vsetleu4)
HIPPORT_CUDA(vcmplts2, __vcmplts2)
HIPPORT_CUDA(vcmplts4, __vcmplts4)
HIPPORT_CUDA(vsetlts2, __vsetlts2)
HIPPORT_CUDA(vsetlts4, __vsetlts4)
HIPPORT_CUDA(vcmpltu2, __vcmpltu2)
HIPPORT_CUDA(vcmpltu4, __vcmpltu4)
HIPPORT_CUDA(vsetltu2, __vsetltu2)
HIPPORT_CUDA(vsetltu4, __vsetltu4)
HIPPORT_CUDA(vsads2, __vsads2)
HIPPORT_CUDA(vsads4, __vsads4)
HIPPORT_CUDA(vsadu2, __vsadu2)
HIPPORT_CUDA(vsadu4, __vsadu4)
HIPPORT_CUDA(viaddmax_s32, __viaddmax_s32)
HIPPORT_CUDA(vimax3_s32, __vimax3_s32)
HIPPORT_CUDA(viaddmax_u32, __viaddmax_u32)
HIPPORT_CUDA(vimax3_u32, __vimax3_u32)
HIPPORT_CUDA(viaddmax_s16x2, __viaddmax_s16x2)
HIPPORT_CUDA(vimax3_s16x2, __vimax3_s16x2)
HIPPORT_CUDA(viaddmax_u16x2, __viaddmax_u16x2)
HIPPORT_CUDA(vimax3_u16x2, __vimax3_u16x2)
HIPPORT_CUDA(viaddmax_s32_relu, __viaddmax_s32_relu)
HIPPORT_CUDA(vimax3_s32_relu, __vimax3_s32_relu)
HIPPORT_CUDA(viaddmax_s16x2_relu, __viaddmax_s16x2_relu)
HIPPORT_CUDA(vimax3_s16x2_relu, __vimax3_s16x2_relu)
HIPPORT_CUDA(viaddmin_s32, __viaddmin_s32)
HIPPORT_CUDA(vimin3_s32, __vimin3_s32)
HIPPORT_CUDA(viaddmin_u32, __viaddmin_u32)
HIPPORT_CUDA(vimin3_u32, __vimin3_u32)
HIPPORT_CUDA(viaddmin_s16x2, __viaddmin_s16x2)
HIPPORT_CUDA(vimin3_s16x2, __vimin3_s16x2)
HIPPORT_CUDA(viaddmin_u16x2, __viaddmin_u16x2)
HIPPORT_CUDA(vimin3_u16x2, __vimin3_u16x2)
HIPPORT_CUDA(viaddmin_s32_relu, __viaddmin_s32_relu)
HIPPORT_CUDA(vimin3_s32_relu, __vimin3_s32_relu)
HIPPORT_CUDA(viaddmin_s16x2_relu, __viaddmin_s16x2_relu)
HIPPORT_CUDA(vimin3_s16x2_relu, __vimin3_s16x2_relu)
HIPPORT_CUDA(vimax_s32_relu, __vimax_s32_relu)
HIPPORT_CUDA(vimax_s16x2_relu, __vimax_s16x2_relu)
HIPPORT_CUDA(vimin_s32_relu, __vimin_s32_relu)
HIPPORT_CUDA(vimin_s16x2_relu, __vimin_s16x2_relu)
HIPPORT_CUDA(vibmax_s32, __vibmax_s32)
HIPPORT_CUDA(vibmax_u32, __vibmax_u32)
HIPPORT_CUDA(vibmax_s16x2, __vibmax_s16x2)
HIPPORT_CUDA(vibmax_u16x2, __vibmax_u16x2)
HIPPORT_CUDA(vibmin_s32, __vibmin_s32)
HIPPORT_CUDA(vibmin_u32, __vibmin_u32)
HIPPORT_CUDA(vibmin_s16x2, __vibmin_s16x2)
HIPPORT_CUDA(vibmin_u16x2, __vibmin_u16x2)
HIPPORT_CUDA(dp4a, __dp4a)
HIPPORT_CUDA(dp2a_lo, __dp2a_lo)
HIPPORT_CUDA(dp2a_hi, __dp2a_hi)
HIPPORT_CUDA(hadd, __hadd)
HIPPORT_CUDA(rhadd, __rhadd)
HIPPORT_CUDA(uhadd, __uhadd)
HIPPORT_CUDA(urhadd, __urhadd)
HIPPORT_CUDA(bswap16, __nv_bswap16)
HIPPORT_CUDA(bswap32, __nv_bswap32)
HIPPORT_CUDA(bswap64, __nv_bswap64)
HIPPORT_CUDA(ldca, __ldca)
HIPPORT_CUDA(ldcg, __ldcg)
HIPPORT_CUDA(ldcs, __ldcs)
HIPPORT_CUDA(ldcv, __ldcv)
HIPPORT_CUDA(ldlu, __ldlu)
HIPPORT_CUDA(stcg, __stcg)
HIPPORT_CUDA(stcs, __stcs)
HIPPORT_CUDA(stwb, __stwb)
HIPPORT_CUDA(stwt, __stwt)
HIPPORT_CUDA(fmaf_rd, __fmaf_rd)
HIPPORT_CUDA(fadd_rd, __fadd_rd)
HIPPORT_CUDA(fsub_rd, __fsub_rd)
HIPPORT_CUDA(fmul_rd, __fmul_rd)
HIPPORT_CUDA(fdiv_rd, __fdiv_rd)
HIPPORT_CUDA(frcp_rd, __frcp_rd)
HIPPORT_CUDA(fsqrt_rd, __fsqrt_rd)
HIPPORT_CUDA(dadd_rd, __dadd_rd)
HIPPORT_CUDA(dsub_rd, __dsub_rd)
HIPPORT_CUDA(dmul_rd, __dmul_rd)
HIPPORT_CUDA(ddiv_rd, __ddiv_rd)
HIPPORT_CUDA(drcp_rd, __drcp_rd)
HIPPORT_CUDA(dsqrt_rd, __dsqrt_rd)
HIPPORT_CUDA(fmaf_ru, __fmaf_ru)
HIPPORT_CUDA(fadd_ru, __fadd_ru)
HIPPORT_CUDA(fsub_ru, __fsub_ru)
HIPPORT_CUDA(fmul_ru, __fmul_ru)
HIPPORT_CUDA(fdiv_ru, __fdiv_ru)
HIPPORT_CUDA(frcp_ru, __frcp_ru)
HIPPORT_CUDA(fsqrt_ru, __fsqrt_ru)
HIPPORT_CUDA(dadd_ru, __dadd_ru)
HIPPORT_CUDA(dsub_ru, __dsub_ru)
HIPPORT_CUDA(dmul_ru, __dmul_ru)
HIPPORT_CUDA(ddiv_ru, __ddiv_ru)
HIPPORT_CUDA(drcp_ru, __drcp_ru)
HIPPORT_CUDA(dsqrt_ru, __dsqrt_ru)
HIPPORT_CUDA(fmaf_rz, __fmaf_rz)
HIPPORT_CUDA(fadd_rz, __fadd_rz)
HIPPORT_CUDA(fsub_rz, __fsub_rz)
HIPPORT_CUDA(fmul_rz, __fmul_rz)
HIPPORT_CUDA(fdiv_rz, __fdiv_rz)
HIPPORT_CUDA(frcp_rz, __frcp_rz)
HIPPORT_CUDA(fsqrt_rz, __fsqrt_rz)
HIPPORT_CUDA(dadd_rz, __dadd_rz)
HIPPORT_CUDA(dsub_rz, __dsub_rz)
HIPPORT_CUDA(dmul_rz, __dmul_rz)
HIPPORT_CUDA(ddiv_rz, __ddiv_rz)
HIPPORT_CUDA(drcp_rz, __drcp_rz)
HIPPORT_CUDA(dsqrt_rz, __dsqrt_rz)
#undef HIPPORT_CUDA

} // namespace hipport

#else
// A host compiler has no device functions.
#endif

#endif
