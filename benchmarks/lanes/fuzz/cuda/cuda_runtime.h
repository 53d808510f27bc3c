// In place of CUDA's header: the warp functions of the CUDA C++ Programming Guide, 10.16 to 10.22, on
// wavefronts of 32 lanes. What CUDA leaves undefined counts as a trap: a program with one proves nothing.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

using cudaError_t = hipError_t;
constexpr hipError_t cudaSuccess = hipSuccess;
constexpr hipMemcpyKind cudaMemcpyHostToDevice = hipMemcpyHostToDevice;
constexpr hipMemcpyKind cudaMemcpyDeviceToHost = hipMemcpyDeviceToHost;
#define cudaMalloc hipMalloc
#define cudaMemcpy hipMemcpy
#define cudaGetLastError hipGetLastError
#define cudaGetErrorString hipGetErrorString
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaDeviceProp hipDeviceProp_t
#define cudaGetDeviceProperties hipGetDeviceProperties

namespace cuda_warp {

// The lanes that were named in a mask and did not come, by warp of the block that runs.
LANES_API std::uint64_t &missing()
{
    static std::uint64_t lanes[32];
    static unsigned of_block = ~0u;
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
    if (of_block != blockIdx.x)
        std::memset(lanes, 0, sizeof(lanes));
    of_block = blockIdx.x;
    return lanes[thread / 32];
}

// The lanes of the mask that are here, with this very mask. The others have to have exited: one that
// gets to a later call had to be here.
LANES_API std::uint64_t members(unsigned mask)
{
    const std::uint64_t here = emulator::with_word(emulator::meet(mask), mask);
    missing() |= mask & ~here;
    if (here & (~std::uint64_t(mask) | missing()))
        emulator::trap();
    return here;
}

template <typename T> LANES_API T shuffled(unsigned mask, T value, int from)
{
    if (!emulator::is_in(members(mask), from))
        emulator::trap();
    return emulator::read_lane(value, from);
}

LANES_API unsigned laneid() { return emulator::lane(); }
LANES_API unsigned lanemask_lt() { return (1u << emulator::lane()) - 1; }
LANES_API unsigned lanemask_ge() { return ~lanemask_lt(); }

LANES_API unsigned ballot_sync(unsigned mask, int predicate)
{
    const std::uint64_t lanes = members(mask);
    return unsigned(lanes & emulator::with_word(emulator::meet(predicate != 0), 1));
}
LANES_API int any_sync(unsigned mask, int predicate) { return ballot_sync(mask, predicate) != 0; }
LANES_API int all_sync(unsigned mask, int predicate) { return ballot_sync(mask, !predicate) == 0; }
LANES_API void syncwarp(unsigned mask = ~0u) { members(mask); }

template <typename T> LANES_API T shfl_sync(unsigned mask, T value, int from, int width = 32)
{
    return shuffled(mask, value, (int(emulator::lane()) & ~(width - 1)) | (from & (width - 1)));
}
template <typename T> LANES_API T shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int own = emulator::lane(), from = own - int(delta);
    return shuffled(mask, value, from < (own & ~(width - 1)) ? own : from);
}
template <typename T> LANES_API T shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int own = emulator::lane(), from = own + int(delta);
    return shuffled(mask, value, from > (own | (width - 1)) ? own : from);
}
template <typename T> LANES_API T shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    const int own = emulator::lane(), from = own ^ lanes;
    return shuffled(mask, value, from > (own | (width - 1)) ? own : from);
}

template <typename T> LANES_API unsigned match_any_sync(unsigned mask, T value)
{
    const std::uint64_t lanes = members(mask);
    return unsigned(lanes & emulator::with_word(emulator::meet(emulator::word_of(value)), emulator::word_of(value)));
}
template <typename T> LANES_API unsigned match_all_sync(unsigned mask, T value, int *all_same)
{
    const std::uint64_t lanes = members(mask);
    *all_same = match_any_sync(mask, value) == lanes;
    return *all_same ? unsigned(lanes) : 0;
}

#define CUDA_REDUCE(name, T, combined)                                              \
    LANES_API T name(unsigned mask, T value)                                        \
    {                                                                               \
        return emulator::reduce(members(mask), value, [](T a, T b) { return T(combined); }); \
    }
CUDA_REDUCE(reduce_add_sync, int, a + b)
CUDA_REDUCE(reduce_add_sync, unsigned, a + b)
CUDA_REDUCE(reduce_min_sync, int, b < a ? b : a)
CUDA_REDUCE(reduce_min_sync, unsigned, b < a ? b : a)
CUDA_REDUCE(reduce_max_sync, int, a < b ? b : a)
CUDA_REDUCE(reduce_max_sync, unsigned, a < b ? b : a)
CUDA_REDUCE(reduce_and_sync, unsigned, a & b)
CUDA_REDUCE(reduce_or_sync, unsigned, a | b)
CUDA_REDUCE(reduce_xor_sync, unsigned, a ^ b)
#undef CUDA_REDUCE

} // namespace cuda_warp

#define __ballot_sync cuda_warp::ballot_sync
#define __any_sync cuda_warp::any_sync
#define __all_sync cuda_warp::all_sync
#define __syncwarp cuda_warp::syncwarp
#define __shfl_sync cuda_warp::shfl_sync
#define __shfl_up_sync cuda_warp::shfl_up_sync
#define __shfl_down_sync cuda_warp::shfl_down_sync
#define __shfl_xor_sync cuda_warp::shfl_xor_sync
#define __match_any_sync cuda_warp::match_any_sync
#define __match_all_sync cuda_warp::match_all_sync
#define __reduce_add_sync cuda_warp::reduce_add_sync
#define __reduce_min_sync cuda_warp::reduce_min_sync
#define __reduce_max_sync cuda_warp::reduce_max_sync
#define __reduce_and_sync cuda_warp::reduce_and_sync
#define __reduce_or_sync cuda_warp::reduce_or_sync
#define __reduce_xor_sync cuda_warp::reduce_xor_sync

// What CUDA had before masks: the whole warp takes part.
#define __ballot(predicate) cuda_warp::ballot_sync(~0u, predicate)
#define __any(predicate) cuda_warp::any_sync(~0u, predicate)
#define __all(predicate) cuda_warp::all_sync(~0u, predicate)
#define __shfl(...) cuda_warp::shfl_sync(~0u, __VA_ARGS__)
#define __shfl_up(...) cuda_warp::shfl_up_sync(~0u, __VA_ARGS__)
#define __shfl_down(...) cuda_warp::shfl_down_sync(~0u, __VA_ARGS__)
#define __shfl_xor(...) cuda_warp::shfl_xor_sync(~0u, __VA_ARGS__)
