#include <hip/hip_runtime.h>
#include "hipport_warp32.h"
#define WARP_SIZE 32
__global__ void k(float* x) {
  int warp_id = threadIdx.x / WARP_SIZE;
  float sum = x[threadIdx.x];
  for (int o = 32 / 2; o > 0; o /= 2) sum += warp32::shfl_xor_sync(0xffffffff, sum, o);
  if (threadIdx.x % WARP_SIZE == 0) x[warp_id] = sum;
}
