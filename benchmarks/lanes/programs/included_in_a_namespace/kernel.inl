// Included where a namespace is open.
template <typename T> __device__ T largest(T value)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const T other = __shfl_xor_sync(0xffffffff, value, lanes);
        value = other > value ? other : value;
    }
    return value;
}

__global__ void maxima(const float *in, float *out) { out[threadIdx.x] = largest(in[threadIdx.x]); }
