#include <hip/hip_runtime.h>
#if defined(USE_ROCM)
#define __shfl_xor_sync(mask, var, l) __shfl_xor(var, l)
#endif
#define WARP_SIZE 32
__global__ void k(float* x) {
  int warp_id = threadIdx.x / WARP_SIZE;
  float sum = x[threadIdx.x];
  for (int o = warpSize / 2; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffff, sum, o);
  if (threadIdx.x % WARP_SIZE == 0) x[warp_id] = sum;
}
