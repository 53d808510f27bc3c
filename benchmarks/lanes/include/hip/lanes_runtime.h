// The part of HIP's host API that the programs use: memory of the device is memory of the host.
#pragma once

#include "../../emulator/lanes.h"

#include <cstdlib>
#include <cstring>
#include <tuple>

enum hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorInvalidConfiguration = 9,
};
enum hipMemcpyKind {
    hipMemcpyHostToHost,
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost,
    hipMemcpyDeviceToDevice,
    hipMemcpyDefault,
};
enum hipDeviceAttribute_t {
    hipDeviceAttributeWarpSize,
    hipDeviceAttributeMaxThreadsPerBlock,
    hipDeviceAttributeMultiprocessorCount,
};
struct hipDeviceProp_t {
    char name[256];
    int warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor;
};
using hipStream_t = void *;
using hipEvent_t = void *;
#define HIP_SYMBOL(symbol) symbol
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipHostMallocDefault 0
#define hipMemAttachGlobal 1

namespace emulator {

inline hipError_t last_error = hipSuccess;

template <typename Body, typename... A>
void launch_kernel(Body body, dim3 grid, dim3 block, std::size_t shared, hipStream_t, A... arguments)
{
    auto all = [=] { body(arguments...); };
    const auto call = [](void *bound) { (*static_cast<decltype(all) *>(bound))(); };
    if (!launch(grid, block, shared, call, &all))
        last_error = hipErrorInvalidConfiguration;
}

} // namespace emulator

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                \
    emulator::launch_kernel([=](auto... a) { kernel(a...); }, dim3(grid), dim3(block), \
                         (shared), (hipStream_t)(stream), ##__VA_ARGS__)

template <typename T> hipError_t hipMalloc(T **at, std::size_t size)
{
    *at = static_cast<T *>(std::malloc(size ? size : 1));
    std::memset(static_cast<void *>(*at), 0xa5, size);
    return hipSuccess;
}
template <typename T> hipError_t hipMallocManaged(T **at, std::size_t size, unsigned = hipMemAttachGlobal)
{
    return hipMalloc(at, size);
}
template <typename T> hipError_t hipHostMalloc(T **at, std::size_t size, unsigned = 0)
{
    return hipMalloc(at, size);
}
inline hipError_t hipFree(void *at)
{
    std::free(at);
    return hipSuccess;
}
inline hipError_t hipHostFree(void *at) { return hipFree(at); }
inline hipError_t hipMemcpy(void *to, const void *from, std::size_t size, hipMemcpyKind)
{
    std::memcpy(to, from, size);
    return hipSuccess;
}
inline hipError_t hipMemcpyAsync(void *to, const void *from, std::size_t size, hipMemcpyKind kind, hipStream_t = 0)
{
    return hipMemcpy(to, from, size, kind);
}
inline hipError_t hipMemset(void *at, int value, std::size_t size)
{
    std::memset(at, value, size);
    return hipSuccess;
}
template <typename T>
hipError_t hipMemcpyToSymbol(T &symbol, const void *from, std::size_t size, std::size_t offset = 0,
                             hipMemcpyKind = hipMemcpyHostToDevice)
{
    std::memcpy(reinterpret_cast<char *>(&symbol) + offset, from, size);
    return hipSuccess;
}
template <typename T>
hipError_t hipMemcpyFromSymbol(void *to, const T &symbol, std::size_t size, std::size_t offset = 0,
                               hipMemcpyKind = hipMemcpyDeviceToHost)
{
    std::memcpy(to, reinterpret_cast<const char *>(&symbol) + offset, size);
    return hipSuccess;
}
inline hipError_t hipPeekAtLastError() { return emulator::last_error; }
inline hipError_t hipGetLastError()
{
    const hipError_t error = emulator::last_error;
    emulator::last_error = hipSuccess;
    return error;
}
inline const char *hipGetErrorString(hipError_t error) { return error == hipSuccess ? "no error" : "error"; }
inline hipError_t hipDeviceSynchronize() { return hipSuccess; }
inline hipError_t hipStreamCreate(hipStream_t *) { return hipSuccess; }
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
inline hipError_t hipStreamDestroy(hipStream_t) { return hipSuccess; }
inline hipError_t hipSetDevice(int) { return hipSuccess; }
inline hipError_t hipGetDevice(int *device)
{
    *device = 0;
    return hipSuccess;
}
inline hipError_t hipGetDeviceCount(int *count)
{
    *count = 1;
    return hipSuccess;
}
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int)
{
    *properties = {"emulated", warpSize, 1024, 4, 9, 0};
    return hipSuccess;
}
inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int)
{
    const int values[] = {warpSize, 1024, 4};
    *value = values[attribute];
    return hipSuccess;
}
