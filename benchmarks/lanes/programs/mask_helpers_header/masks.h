#pragma once
#define FULL_MASK 0xffffffff
typedef unsigned int lane_mask_t;
constexpr int LOG_LANES = 5;
constexpr int LANES = 1 << LOG_LANES;
__device__ __forceinline__ lane_mask_t mask_of_first(int n) { return n >= LANES ? FULL_MASK : (1u << n) - 1u; }
__device__ __forceinline__ lane_mask_t lower_lanes(int lane) { return ~(FULL_MASK << lane); }
__device__ __forceinline__ int count(lane_mask_t mask) { return __popc(mask); }
__device__ __forceinline__ int nth_lane(lane_mask_t mask, int n)
{
    for (; n > 0; --n)
        mask &= mask - 1;
    return mask ? __ffs(mask) - 1 : LANES;
}
