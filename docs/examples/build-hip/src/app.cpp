#include <scale.cuh>

int main() {
  float *values;
  if (cudaMalloc(&values, 1024 * sizeof(float)) != cudaSuccess) return 1;
  scale(values, 2, 1024, nullptr);
  return cudaFree(values) != cudaSuccess;
}
