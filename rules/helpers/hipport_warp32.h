// CUDA's warp functions, with CUDA's meaning, on every AMD GPU.
//
// A warp of CUDA's has 32 lanes. Wavefronts of RDNA have 32 as well, those of CDNA and GCN have 64:
// there each half of a wavefront acts as one warp. Thread t of a block is lane t % 32 of warp t / 32,
// as in CUDA, and no function reaches beyond its warp. Sets of lanes have 32 bits.
//
// Masks. CUDA requires that all lanes of a mask reach the same call, or have exited. So the lanes that
// execute a call are those that CUDA would wait for, and none has to be waited for; results are cut to
// the mask. HIP's own *_sync functions trap instead where the mask is not exactly the set of active
// lanes of the wavefront, which no constant is in a block of 32 threads or in a last, partial wavefront.
//
// Not covered: lanes of one mask that reach the function from different places in the code. AMD GPUs
// execute these places one after the other.
//
// Compiles from ROCm 5.2 on, in hipRTC too; compiled for NVIDIA it passes everything on to CUDA.
// Written by hipport (Apache-2.0): no conversion changes this file.
#ifndef HIPPORT_WARP32_H
#define HIPPORT_WARP32_H

// A host compiler that is told of no platform reads none of HIP's headers.
#if !defined(__HIPCC_RTC__) && !defined(__CUDACC_RTC__) &&                          \
    (defined(__HIP__) || defined(__CUDACC__) || defined(__HIP_PLATFORM_AMD__) ||     \
     defined(__HIP_PLATFORM_NVIDIA__))
#include <hip/hip_runtime.h>
#define HIPPORT_HAS_HIP
#endif

#if defined(__HIPCC_RTC__) || (defined(__clang__) && defined(__HIP__))

#define HIPPORT_DEVICE __device__ inline __attribute__((always_inline))
// Lanes may shuffle variables that only other lanes have set.
#ifdef __has_attribute
#if __has_attribute(maybe_undef)
#define HIPPORT_MAYBE_UNSET __attribute__((maybe_undef))
#endif
#endif
#ifndef HIPPORT_MAYBE_UNSET
#define HIPPORT_MAYBE_UNSET
#endif

namespace warp32 {

// The lane of the calling thread in its warp, 0 to 31.
HIPPORT_DEVICE unsigned lane_id() { return __lane_id() & 31; }

// The lanes before, up to, from and behind the calling thread's, and its own.
HIPPORT_DEVICE unsigned lanemask_eq() { return 1u << lane_id(); }
HIPPORT_DEVICE unsigned lanemask_lt() { return lanemask_eq() - 1; }
HIPPORT_DEVICE unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
HIPPORT_DEVICE unsigned lanemask_ge() { return ~lanemask_lt(); }
HIPPORT_DEVICE unsigned lanemask_gt() { return ~lanemask_le(); }

// The lanes of the calling thread's warp in which the predicate holds.
HIPPORT_DEVICE unsigned ballot(int predicate)
{
    return static_cast<unsigned>(__ballot(predicate) >> (__lane_id() & 32));
}

HIPPORT_DEVICE int any(int predicate) { return ballot(predicate) != 0; }
HIPPORT_DEVICE int all(int predicate) { return ballot(!predicate) == 0; }
HIPPORT_DEVICE unsigned activemask() { return ballot(1); }

HIPPORT_DEVICE unsigned ballot_sync(unsigned mask, int predicate) { return ballot(predicate) & mask; }
HIPPORT_DEVICE int any_sync(unsigned mask, int predicate) { return ballot_sync(mask, predicate) != 0; }
HIPPORT_DEVICE int all_sync(unsigned mask, int predicate) { return ballot_sync(mask, !predicate) == 0; }
HIPPORT_DEVICE int uni_sync(unsigned mask, int predicate)
{
    const unsigned in_favour = ballot_sync(mask, predicate);
    return in_favour == 0 || in_favour == ballot_sync(mask, 1);
}

// Memory that lanes of the warp have written before is seen by the others behind it.
HIPPORT_DEVICE void syncwarp(unsigned = ~0u)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

// The type of what is passed: threadIdx.x and the others are objects without a size up to ROCm 6.3,
// that are converted to a number. Numbers of one and two bytes are promoted, as CUDA has no function
// for them: `auto` has room for what is added to the result.
template <typename T, bool has_no_size> struct passed_as { typedef T type; };

template <typename T> struct passed_as<T, true> { typedef unsigned type; };

template <typename T> struct passed { typedef typename passed_as<T, __is_empty(T)>::type type; };

template <> struct passed<bool> { typedef int type; };
template <> struct passed<char> { typedef int type; };
template <> struct passed<signed char> { typedef int type; };
template <> struct passed<unsigned char> { typedef int type; };
template <> struct passed<short> { typedef int type; };
template <> struct passed<unsigned short> { typedef int type; };

// The value that another lane of the warp, 0 to 31, passes: any type of values that can be copied.
template <typename T> HIPPORT_DEVICE typename passed<T>::type from_lane(HIPPORT_MAYBE_UNSET T given, int lane)
{
    typename passed<T>::type value = given;
    int words[(sizeof(value) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(value));
#pragma unroll
    for (unsigned i = 0; i < sizeof(words) / sizeof(int); ++i)
        words[i] = __shfl(words[i], lane, 32);
    __builtin_memcpy(&value, words, sizeof(value));
    return value;
}

// Calls name the namespace: a type's own may have functions of the same names.
//
// Which lane a shuffle reads, and the own one where that lies outside of the segment of `width` lanes,
// a power of two up to 32: PTX ISA, "shfl.sync".
template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl(HIPPORT_MAYBE_UNSET T value, int lane, int width = 32)
{
    const int own = lane_id();
    return warp32::from_lane(value, (own & ~(width - 1)) | (lane & (width - 1)));
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_up(HIPPORT_MAYBE_UNSET T value, unsigned delta, int width = 32)
{
    const int own = lane_id(), lane = own - static_cast<int>(delta & 31);
    return warp32::from_lane(value, lane >= (own & ~(width - 1)) ? lane : own);
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_down(HIPPORT_MAYBE_UNSET T value, unsigned delta, int width = 32)
{
    const int own = lane_id(), lane = own + static_cast<int>(delta & 31);
    return warp32::from_lane(value, lane <= (own | (width - 1)) ? lane : own);
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_xor(HIPPORT_MAYBE_UNSET T value, int lanes, int width = 32)
{
    const int own = lane_id(), lane = own ^ (lanes & 31);
    return warp32::from_lane(value, lane <= (own | (width - 1)) ? lane : own);
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_sync(unsigned, HIPPORT_MAYBE_UNSET T value, int lane, int width = 32)
{
    return warp32::shfl(value, lane, width);
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_up_sync(unsigned, HIPPORT_MAYBE_UNSET T value, unsigned delta, int width = 32)
{
    return warp32::shfl_up(value, delta, width);
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_down_sync(unsigned, HIPPORT_MAYBE_UNSET T value, unsigned delta, int width = 32)
{
    return warp32::shfl_down(value, delta, width);
}

template <typename T>
HIPPORT_DEVICE typename passed<T>::type
shfl_xor_sync(unsigned, HIPPORT_MAYBE_UNSET T value, int lanes, int width = 32)
{
    return warp32::shfl_xor(value, lanes, width);
}

// The bits of a number, of 4 or 8 bytes as CUDA's functions take it: PTX ISA, "match.sync".
template <typename T> HIPPORT_DEVICE unsigned long long bits_of(T value)
{
    const auto promoted = +value;
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &promoted, sizeof(promoted));
    return bits;
}

// The lanes of the mask that pass the same value as the calling thread's.
template <typename T> HIPPORT_DEVICE unsigned match_any_sync(unsigned mask, T value)
{
    const unsigned long long own = warp32::bits_of(value);
    unsigned matching = 0;
    // Each turn is for the value of the first lane that has not had its turn.
    while (matching == 0) {
        const unsigned long long first = warp32::from_lane(own, __ffs(activemask()) - 1);
        const unsigned same = ballot(own == first);
        if (own == first)
            matching = same;
    }
    return matching & mask;
}

// The lanes of the mask if all of them pass the same value, else none.
template <typename T> HIPPORT_DEVICE unsigned match_all_sync(unsigned mask, T value, int *all_same)
{
    const unsigned members = ballot_sync(mask, 1);
    const unsigned long long own = warp32::bits_of(value), first = warp32::from_lane(own, __ffs(members) - 1);
    *all_same = ballot_sync(mask, own != first) == 0;
    return *all_same ? members : 0;
}

// What the lanes of the mask pass, combined; every one of them gets the result.
template <typename T, typename Combine>
HIPPORT_DEVICE T reduce_sync(unsigned mask, T value, Combine combine)
{
    const unsigned members = ballot_sync(mask, 1);
    if (members == ~0u) {
        for (int lanes = 16; lanes > 0; lanes /= 2)
            value = combine(value, warp32::shfl_xor(value, lanes));
        return value;
    }
    T result = warp32::shfl(value, __ffs(members) - 1);
    for (unsigned left = members & (members - 1); left != 0; left &= left - 1)
        result = combine(result, warp32::shfl(value, __ffs(left) - 1));
    return result;
}

// CUDA has each for these types, to which smaller ones are promoted.
#define HIPPORT_REDUCE(name, T, combined)                                           \
    HIPPORT_DEVICE T name(unsigned mask, T value)                                   \
    {                                                                               \
        return reduce_sync(mask, value, [](T a, T b) -> T { return combined; });    \
    }
HIPPORT_REDUCE(reduce_add_sync, int, a + b)
HIPPORT_REDUCE(reduce_add_sync, unsigned, a + b)
HIPPORT_REDUCE(reduce_min_sync, int, b < a ? b : a)
HIPPORT_REDUCE(reduce_min_sync, unsigned, b < a ? b : a)
HIPPORT_REDUCE(reduce_max_sync, int, a < b ? b : a)
HIPPORT_REDUCE(reduce_max_sync, unsigned, a < b ? b : a)
HIPPORT_REDUCE(reduce_and_sync, unsigned, a & b)
HIPPORT_REDUCE(reduce_or_sync, unsigned, a | b)
HIPPORT_REDUCE(reduce_xor_sync, unsigned, a ^ b)
#undef HIPPORT_REDUCE

} // namespace warp32

#undef HIPPORT_DEVICE
#undef HIPPORT_MAYBE_UNSET

#elif defined(__CUDACC__) && !defined(__HIP_PLATFORM_AMD__)

namespace warp32 {

#define HIPPORT_PTX(name, register)                                                 \
    __device__ __forceinline__ unsigned name()                                      \
    {                                                                               \
        unsigned value;                                                             \
        asm volatile("mov.u32 %0, %%" register ";" : "=r"(value));                  \
        return value;                                                               \
    }
HIPPORT_PTX(lane_id, "laneid")
HIPPORT_PTX(lanemask_eq, "lanemask_eq")
HIPPORT_PTX(lanemask_lt, "lanemask_lt")
HIPPORT_PTX(lanemask_le, "lanemask_le")
HIPPORT_PTX(lanemask_ge, "lanemask_ge")
HIPPORT_PTX(lanemask_gt, "lanemask_gt")
#undef HIPPORT_PTX

// One function of CUDA's under another name, whatever it takes.
#define HIPPORT_CUDA(name, cuda)                                                    \
    template <typename... A> __device__ __forceinline__ auto name(A... arguments)   \
        -> decltype(cuda(arguments...))                                             \
    {                                                                               \
        return cuda(arguments...);                                                  \
    }
HIPPORT_CUDA(ballot_sync, __ballot_sync)
HIPPORT_CUDA(any_sync, __any_sync)
HIPPORT_CUDA(all_sync, __all_sync)
HIPPORT_CUDA(uni_sync, __uni_sync)
HIPPORT_CUDA(shfl_sync, __shfl_sync)
HIPPORT_CUDA(shfl_up_sync, __shfl_up_sync)
HIPPORT_CUDA(shfl_down_sync, __shfl_down_sync)
HIPPORT_CUDA(shfl_xor_sync, __shfl_xor_sync)

__device__ __forceinline__ unsigned activemask() { return __activemask(); }
__device__ __forceinline__ void syncwarp(unsigned mask = ~0u) { __syncwarp(mask); }
// CUDA has these no more since its version 9 but with a mask: all lanes mean the whole warp.
__device__ __forceinline__ unsigned ballot(int predicate) { return __ballot_sync(~0u, predicate); }
__device__ __forceinline__ int any(int predicate) { return __any_sync(~0u, predicate); }
__device__ __forceinline__ int all(int predicate) { return __all_sync(~0u, predicate); }
template <typename T> __device__ __forceinline__ T shfl(T value, int lane, int width = 32)
{
    return __shfl_sync(~0u, value, lane, width);
}
template <typename T> __device__ __forceinline__ T shfl_up(T value, unsigned delta, int width = 32)
{
    return __shfl_up_sync(~0u, value, delta, width);
}
template <typename T> __device__ __forceinline__ T shfl_down(T value, unsigned delta, int width = 32)
{
    return __shfl_down_sync(~0u, value, delta, width);
}
template <typename T> __device__ __forceinline__ T shfl_xor(T value, int lanes, int width = 32)
{
    return __shfl_xor_sync(~0u, value, lanes, width);
}

// Templates of calls that depend on what they are passed: GPUs before Volta and Ampere lack them.
HIPPORT_CUDA(match_any_sync, __match_any_sync)
HIPPORT_CUDA(match_all_sync, __match_all_sync)
HIPPORT_CUDA(reduce_add_sync, __reduce_add_sync)
HIPPORT_CUDA(reduce_min_sync, __reduce_min_sync)
HIPPORT_CUDA(reduce_max_sync, __reduce_max_sync)
HIPPORT_CUDA(reduce_and_sync, __reduce_and_sync)
HIPPORT_CUDA(reduce_or_sync, __reduce_or_sync)
HIPPORT_CUDA(reduce_xor_sync, __reduce_xor_sync)
#undef HIPPORT_CUDA

} // namespace warp32

#else

// A host compiler: templates of device code are parsed and never made.
namespace warp32 {

#define HIPPORT_DECLARED(name) template <typename... A> unsigned name(A...);
HIPPORT_DECLARED(lane_id)
HIPPORT_DECLARED(lanemask_eq)
HIPPORT_DECLARED(lanemask_lt)
HIPPORT_DECLARED(lanemask_le)
HIPPORT_DECLARED(lanemask_ge)
HIPPORT_DECLARED(lanemask_gt)
HIPPORT_DECLARED(ballot)
HIPPORT_DECLARED(any)
HIPPORT_DECLARED(all)
HIPPORT_DECLARED(activemask)
HIPPORT_DECLARED(ballot_sync)
HIPPORT_DECLARED(any_sync)
HIPPORT_DECLARED(all_sync)
HIPPORT_DECLARED(uni_sync)
HIPPORT_DECLARED(match_any_sync)
HIPPORT_DECLARED(match_all_sync)
HIPPORT_DECLARED(syncwarp)
#undef HIPPORT_DECLARED
#define HIPPORT_DECLARED(name)                                                      \
    template <typename T, typename... A> T name(T, A...);                           \
    template <typename T, typename... A> T name##_sync(unsigned, T, A...);
HIPPORT_DECLARED(shfl)
HIPPORT_DECLARED(shfl_up)
HIPPORT_DECLARED(shfl_down)
HIPPORT_DECLARED(shfl_xor)
#undef HIPPORT_DECLARED
#define HIPPORT_DECLARED(name) template <typename T> T name(unsigned, T);
HIPPORT_DECLARED(reduce_add_sync)
HIPPORT_DECLARED(reduce_min_sync)
HIPPORT_DECLARED(reduce_max_sync)
HIPPORT_DECLARED(reduce_and_sync)
HIPPORT_DECLARED(reduce_or_sync)
HIPPORT_DECLARED(reduce_xor_sync)
#undef HIPPORT_DECLARED

} // namespace warp32

#endif

#ifdef HIPPORT_HAS_HIP
namespace warp32 {

// hipDeviceGetAttribute, but the warp size is what it is here: 32.
inline hipError_t device_get_attribute(int *value, hipDeviceAttribute_t attribute, int device)
{
    const hipError_t error = hipDeviceGetAttribute(value, attribute, device);
    if (error == hipSuccess && attribute == hipDeviceAttributeWarpSize)
        *value = 32;
    return error;
}

} // namespace warp32
#undef HIPPORT_HAS_HIP
#endif

#endif
