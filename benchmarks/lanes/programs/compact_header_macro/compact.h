#pragma once
#include "sizes.h"

__device__ inline int place_in_warp(bool keep, int lane)
{
    return __popc(__ballot_sync(0xffffffff, keep) & LANES_BELOW(lane));
}
