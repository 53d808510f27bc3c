#pragma once
#include <cuda_runtime.h>

void scale(float *values, float factor, int count, cudaStream_t stream);
