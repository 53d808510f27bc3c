#pragma once

template <typename T> __device__ __forceinline__ T warp_sum(T value)
{
    for (int offset = warpSize / 2; offset > 0; offset >>= 1)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}
