// HIP's warp functions, over the lanes that execute a call together: amd_detail/amd_device_functions.h,
// amd_warp_functions.h, amd_warp_sync_functions.h of ROCm 6.3 to 7 say what they return.
#pragma once

#include "../../emulator/lanes.h"

#include <cstring>
#include <type_traits>

// Device functions of HIP's: one call each in the program's code, and no steps of their own.
#define LANES_API __attribute__((noinline, no_sanitize("coverage"))) inline

LANES_API unsigned __lane_id() { return emulator::lane(); }
LANES_API unsigned long long __lanemask_lt() { return (1ull << emulator::lane()) - 1; }
LANES_API unsigned long long __lanemask_eq() { return 1ull << emulator::lane(); }
LANES_API unsigned long long __lanemask_le() { return __lanemask_lt() | __lanemask_eq(); }
LANES_API unsigned long long __lanemask_all() { return warpSize == 64 ? ~0ull : 0xffffffffull; }
LANES_API unsigned long long __lanemask_gt() { return __lanemask_all() & ~__lanemask_le(); }
LANES_API unsigned long long __lanemask_ge() { return __lanemask_all() & ~__lanemask_lt(); }

namespace emulator {

template <typename T> LANES_API std::uint64_t word_of(T value)
{
    static_assert(sizeof(T) <= 8, "HIP shuffles values of up to 8 bytes");
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    return word;
}

template <typename T> LANES_API T of_word(std::uint64_t word)
{
    T value;
    std::memcpy(static_cast<void *>(&value), &word, sizeof(T));
    return value;
}

inline bool is_in(std::uint64_t lanes, int lane) { return lane >= 0 && lane < 64 && lanes >> lane & 1; }

// The lanes of a meeting that pass this word.
LANES_API std::uint64_t with_word(const Meeting &meeting, std::uint64_t word)
{
    std::uint64_t found = 0;
    for (int lane = 0; lane < 64; ++lane)
        if (is_in(meeting.active, lane) && meeting.words[lane] == word)
            found |= 1ull << lane;
    return found;
}

// What another lane passes. The hardware gives no promise for one that is not active: rubbish here.
template <typename T> LANES_API T read_lane(T value, int from)
{
    const Meeting &meeting = meet(word_of(value));
    return of_word<T>(is_in(meeting.active, from) ? meeting.words[from] : 0xa5a5a5a5a5a5a5a5ull);
}

// The mask of a *_sync function, which must be the lanes that hold it: __hip_check_mask.
LANES_API std::uint64_t checked(std::uint64_t mask)
{
    const std::uint64_t holders = with_word(meet(mask), mask);
    if (holders != mask && __builtin_ctzll(holders) == int(lane()))
        trap();
    return mask;
}

// __hip_adjust_mask_for_wave32
template <typename M> LANES_API std::uint64_t adjusted(M mask)
{
    static_assert(std::is_integral<M>::value && sizeof(M) == 8, "The mask must be a 64-bit integer.");
    return warpSize == 32 ? mask & 0xffffffffull : mask;
}

template <typename T, typename Combine> LANES_API T reduce(std::uint64_t mask, T value, Combine combine)
{
    const Meeting &meeting = meet(word_of(value));
    bool is_first = true;
    T result{};
    for (int lane = 0; lane < 64; ++lane) {
        if (is_in(meeting.active & mask, lane)) {
            const T other = of_word<T>(meeting.words[lane]);
            result = is_first ? other : combine(result, other);
            is_first = false;
        }
    }
    return result;
}

} // namespace emulator

LANES_API unsigned long long __ballot(int predicate) { return emulator::with_word(emulator::meet(predicate != 0), 1); }
LANES_API unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
LANES_API unsigned long long __activemask() { return __ballot(1); }
LANES_API int __any(int predicate) { return __ballot(predicate) != 0; }
LANES_API int __all(int predicate) { return __ballot(!predicate) == 0; }

template <typename T> LANES_API T __shfl(T value, int from, int width = warpSize)
{
    const int own = __lane_id();
    return emulator::read_lane(value, (from & (width - 1)) + (own & ~(width - 1)));
}
template <typename T> LANES_API T __shfl_up(T value, unsigned delta, int width = warpSize)
{
    const int own = __lane_id(), from = own - int(delta);
    return emulator::read_lane(value, from < (own & ~(width - 1)) ? own : from);
}
template <typename T> LANES_API T __shfl_down(T value, unsigned delta, int width = warpSize)
{
    const int own = __lane_id(), from = own + int(delta);
    return emulator::read_lane(value, int((own & (width - 1)) + delta) >= width ? own : from);
}
template <typename T> LANES_API T __shfl_xor(T value, int lanes_mask, int width = warpSize)
{
    const int own = __lane_id(), from = own ^ lanes_mask;
    return emulator::read_lane(value, from >= ((own + width) & ~(width - 1)) ? own : from);
}

template <typename T> LANES_API unsigned long long __match_any(T value)
{
    return emulator::with_word(emulator::meet(emulator::word_of(value)), emulator::word_of(value));
}
template <typename T> LANES_API unsigned long long __match_all(T value, int *all_same)
{
    const emulator::Meeting &meeting = emulator::meet(emulator::word_of(value));
    *all_same = emulator::with_word(meeting, emulator::word_of(value)) == meeting.active;
    return *all_same ? meeting.active : 0;
}

template <typename M> LANES_API unsigned long long __ballot_sync(M mask, int predicate)
{
    const unsigned long long lanes = emulator::checked(emulator::adjusted(mask));
    return __ballot(predicate) & lanes;
}
template <typename M> LANES_API int __any_sync(M mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
template <typename M> LANES_API int __all_sync(M mask, int predicate)
{
    return __ballot_sync(mask, predicate) == emulator::adjusted(mask);
}
template <typename M, typename T> LANES_API T __shfl_sync(M mask, T value, int from, int width = warpSize)
{
    emulator::checked(emulator::adjusted(mask));
    return __shfl(value, from, width);
}
template <typename M, typename T> LANES_API T __shfl_up_sync(M mask, T value, unsigned delta, int width = warpSize)
{
    emulator::checked(emulator::adjusted(mask));
    return __shfl_up(value, delta, width);
}
template <typename M, typename T> LANES_API T __shfl_down_sync(M mask, T value, unsigned delta, int width = warpSize)
{
    emulator::checked(emulator::adjusted(mask));
    return __shfl_down(value, delta, width);
}
template <typename M, typename T> LANES_API T __shfl_xor_sync(M mask, T value, int lanes_mask, int width = warpSize)
{
    emulator::checked(emulator::adjusted(mask));
    return __shfl_xor(value, lanes_mask, width);
}
template <typename M, typename T> LANES_API unsigned long long __match_any_sync(M mask, T value)
{
    const unsigned long long lanes = emulator::checked(emulator::adjusted(mask));
    return __match_any(value) & lanes;
}
template <typename M, typename T> LANES_API unsigned long long __match_all_sync(M mask, T value, int *all_same)
{
    emulator::checked(emulator::adjusted(mask));
    return __match_all(value, all_same);
}
#define LANES_REDUCE(name, combined)                                                \
    template <typename M, typename T> LANES_API T name(M mask, T value)             \
    {                                                                               \
        const std::uint64_t lanes = emulator::checked(emulator::adjusted(mask));          \
        return emulator::reduce(lanes, value, [](T a, T b) { return combined; });      \
    }
LANES_REDUCE(__reduce_add_sync, a + b)
LANES_REDUCE(__reduce_min_sync, b < a ? b : a)
LANES_REDUCE(__reduce_max_sync, a < b ? b : a)
LANES_REDUCE(__reduce_and_sync, a & b)
LANES_REDUCE(__reduce_or_sync, a | b)
LANES_REDUCE(__reduce_xor_sync, a ^ b)
#undef LANES_REDUCE

// Lanes are in lockstep, so what is left of these is HIP's assertion. HIP does not cut this mask to
// 32 lanes on wavefronts of 32.
LANES_API void __syncwarp() {}
template <typename M> LANES_API void __syncwarp(M mask)
{
    static_assert(std::is_integral<M>::value && sizeof(M) == 8, "The mask must be a 64-bit integer.");
    emulator::checked(mask);
}

LANES_API int __builtin_amdgcn_wavefrontsize() { return warpSize; }
LANES_API void __builtin_amdgcn_fence(int, const char *) {}
LANES_API void __builtin_amdgcn_wave_barrier() {}
LANES_API int __builtin_amdgcn_readfirstlane(int value)
{
    const emulator::Meeting &meeting = emulator::meet(emulator::word_of(value));
    return emulator::of_word<int>(meeting.words[__builtin_ctzll(meeting.active)]);
}
LANES_API int __builtin_amdgcn_ds_bpermute(int address, int value)
{
    return emulator::read_lane(value, (address >> 2) & (warpSize - 1));
}
LANES_API unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base)
{
    return base + __builtin_popcount(mask & unsigned(__lanemask_lt()));
}
LANES_API unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base)
{
    return base + __builtin_popcount(mask & unsigned(__lanemask_lt() >> 32));
}
