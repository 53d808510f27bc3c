// What clang needs of HIP to compile launches, without any other header.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(size) __attribute__((amdgpu_flat_work_group_size(1, size)))

typedef decltype(sizeof(0)) size_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef int hipError_t;

struct dim3 {
    unsigned x, y, z;
    constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z) {}
};

extern "C" {
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t hipModuleGetFunction(hipFunction_t *, hipModule_t, const char *);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, hipStream_t, void **, void **);
}

#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...) \
    kernel<<<(grid), (block), (lds), (stream)>>>(__VA_ARGS__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__

__device__ inline unsigned thread() { return __builtin_amdgcn_workitem_id_x(); }

struct Threads {
    __declspec(property(get = get_x)) unsigned x;
    __device__ unsigned get_x() const { return __builtin_amdgcn_workitem_id_x(); }
};
extern const __device__ Threads threadIdx;
#define __syncthreads() __builtin_amdgcn_s_barrier()
