#include "scale.cuh"

__global__ void scale_kernel(float *values, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

void scale(float *values, float factor, int count, cudaStream_t stream) {
  scale_kernel<<<(count + 255) / 256, 256, 0, stream>>>(values, factor, count);
}
