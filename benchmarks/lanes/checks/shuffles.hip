// What HIP's functions of the warp return, on the lanes of the wavefront.
#include "check.h"

__global__ void shuffles(int *out)
{
    const int lane = threadIdx.x;
    int *own = out + 8 * lane;
    own[0] = __shfl(lane, 3);
    own[1] = __shfl(lane, 5, 4);
    own[2] = __shfl_up(lane, 2, 8);
    own[3] = __shfl_down(lane, 3, 8);
    own[4] = __shfl_xor(lane, 5, 8);
    own[5] = __shfl_xor(lane, 8, 8);
    own[6] = __shfl_down(lane, 32);
    if (lane != 1)
        own[7] = __shfl(lane, 1);
}

__global__ void sets(unsigned long long *out)
{
    const int lane = __lane_id();
    out[0] = __ballot(lane % 3 == 0);
    out[1] = __match_any(lane / 5);
    int same;
    out[2] = __match_all(7, &same) * same;
    out[3] = __match_all(lane, &same);
    out[4] = __any(lane == warpSize - 1) * 2 + __all(lane < warpSize);
    if (lane == 20) {
        out[5] = __lanemask_lt();
        out[6] = __lanemask_gt();
        out[7] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    }
}

__global__ void barriers(int *out)
{
    __shared__ int sums[1];
    if (threadIdx.x == 0)
        sums[0] = 0;
    __syncthreads();
    atomicAdd(&sums[0], 1);
    __syncthreads();
    if (threadIdx.x == 99)
        out[0] = sums[0];
    const int odd = __syncthreads_count(threadIdx.x % 2), any = __syncthreads_or(threadIdx.x == 5);
    const int all = __syncthreads_and(threadIdx.x < 99);
    if (threadIdx.x == 50)
        out[1] = odd * 100 + any * 10 + all;
}

int main()
{
    int *out = device<int>(8 * warpSize);
    hipLaunchKernelGGL(shuffles, dim3(1), dim3(warpSize), 0, 0, out);
    const int *at = out + 8 * 14;
    expect(at[0] == 3 && at[1] == 13, "__shfl reads the lane of its segment");
    expect(at[2] == 12 && out[8 * 9 + 2] == 9, "__shfl_up stays in its segment");
    expect(at[3] == 14 && out[8 * 9 + 3] == 12, "__shfl_down stays in its segment");
    expect(at[4] == 11 && out[8 * 6 + 5] == 6 && at[5] == 6, "__shfl_xor reads no later segment");
    expect(at[6] == (warpSize == 64 ? 46 : 14), "without a width the segment is the wavefront");
    expect(at[7] != 1, "an inactive lane passes nothing");
    auto *set = device<unsigned long long>(8);
    hipLaunchKernelGGL(sets, dim3(1), dim3(warpSize), 0, 0, set);
    const unsigned long long all = below(warpSize);
    expect(set[0] == (0x9249249249249249ull & all), "__ballot");
    expect(set[1] == (all & ~below((warpSize - 1) / 5 * 5)), "__match_any, of the last lane that writes");
    expect(set[2] == all && set[3] == 0, "__match_all");
    expect(set[4] == 3, "__any and __all");
    expect(set[5] == below(20) && set[6] == (all & ~below(21)) && set[7] == 20, "lane masks");
    hipLaunchKernelGGL(barriers, dim3(1), dim3(100), 0, 0, out);
    expect(out[0] == 100 && out[1] == 5010, "barriers of the block");
    hipLaunchKernelGGL(barriers, dim3(1), dim3(2000), 0, 0, out);
    expect(hipGetLastError() == hipErrorInvalidConfiguration, "a block has up to 1024 threads");
    return verdict();
}
