// Compares functions bit for bit; `python -m benchmarks.device_functions` fills in what stands in the
// places of the three lines that begin with //@.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>
template <typename T> __device__ T make(unsigned long long bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <typename T> __device__ unsigned long long image(T value)
{
    if (value != value)
        return ~0ull;
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

// What clang has for HIP, and nvcc has not.
constexpr int __HIP_MEMORY_SCOPE_AGENT = 4, __HIP_MEMORY_SCOPE_SYSTEM = 5;
template <typename T> __device__ T __hip_atomic_load(const T *from, int, int)
{
    return *static_cast<const volatile T *>(from);
}
template <typename T> __device__ void __hip_atomic_store(T *to, T value, int, int)
{
    *static_cast<volatile T *>(to) = value;
}

//@ header
//@ functions
// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators" (2014).
__device__ unsigned long long random(unsigned long long at)
{
    at += 0x9e3779b97f4a7c15ull;
    at = (at ^ at >> 30) * 0xbf58476d1ce4e5b9ull;
    at = (at ^ at >> 27) * 0x94d049bb133111ebull;
    return at ^ at >> 31;
}

struct Found { unsigned long long compared, different, bits[3], ours, theirs; };

template <typename C> __device__ void compare(const unsigned long long *bits, Found *found)
{
    const unsigned long long ours = C::ours(bits), theirs = C::theirs(bits);
    atomicAdd(&found->compared, 1);
    if (ours != theirs && atomicAdd(&found->different, 1) == 0) {
        for (int i = 0; i < C::count; ++i)
            found->bits[i] = bits[i];
        found->ours = ours, found->theirs = theirs;
    }
}

template <typename C> __global__ void edges(const unsigned long long *every, int n, Found *found)
{
    unsigned long long total = 1, at = blockIdx.x * 256ull + threadIdx.x;
    for (int i = 0; i < C::count; ++i)
        total *= n;
    for (; at < total; at += gridDim.x * 256ull) {
        unsigned long long bits[3], rest = at;
        for (int i = 0; i < 3; ++i, rest /= n)
            bits[i] = every[rest % n];
        compare<C>(bits, found);
    }
}

// Real numbers: one time in two of one magnitude, as sums of others are the larger one.
template <typename C> __global__ void randoms(Found *found)
{
    const unsigned long long at = blockIdx.x * 256ull + threadIdx.x;
    unsigned long long bits[3];
    for (int i = 0; i < 3; ++i)
        bits[i] = random(at * 3 + i);
    if (C::is_real && at % 2)
        for (int i = 1; i < 3; ++i) {
            const int shift = C::is_wide ? 52 : 23;
            const unsigned long long mask = (C::is_wide ? 0x7ffull : 0xffull) << shift;
            const unsigned long long near = ((bits[0] & mask) >> shift) + (bits[i] >> 40) % 64 - 32;
            bits[i] = (bits[i] & ~mask) | (near << shift & mask);
        }
    compare<C>(bits, found);
}

std::vector<unsigned long long> special(bool is_real, bool is_wide)
{
    std::vector<unsigned long long> found;
    const unsigned long long parts[] = {0, 1, 2, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff};
    if (!is_real) {
        for (auto a : parts)
            for (auto b : parts)
                found.insert(found.end(), {a << 8 | b, (a << 8 | b) << 16, (a << 8 | b) * 0x10001});
        return found;
    }
    const int width = is_wide ? 52 : 23;
    const unsigned long long most = is_wide ? 0x7ff : 0xff, middle = most / 2;
    for (unsigned long long exponent : {0ull, 1ull, 2ull, middle / 2, middle - width, middle - 1, middle,
                                        middle + 1, middle + width, most - 2, most - 1})
        for (unsigned long long fraction : {0ull, 1ull, (1ull << width) / 3, 1ull << (width - 1), (1ull << width) - 1})
            for (unsigned long long sign : {0ull, 1ull})
                found.push_back((sign * (most + 1) + exponent) << width | fraction);
    for (unsigned long long top : {most, 2 * most + 1})
        found.insert(found.end(), {top << width, top << width | 1ull << (width - 1)});
    return found;
}

void print(const char *name, const Found *found)
{
    Found got;
    cudaMemcpy(&got, found, sizeof got, cudaMemcpyDeviceToHost);
    const cudaError_t error = cudaGetLastError();
    printf("{\"function\": \"%s\", \"compared\": %llu, \"different\": %llu, \"first\": [\"%llx\", \"%llx\", \"%llx\"], "
           "\"ours\": \"%llx\", \"theirs\": \"%llx\", \"error\": \"%s\"}\n", name, got.compared, got.different,
           got.bits[0], got.bits[1], got.bits[2], got.ours, got.theirs, cudaGetErrorString(error));
}

template <typename C> void run()
{
    Found *found;
    unsigned long long *every;
    auto values = special(C::is_real, C::is_wide);
    cudaMalloc(&found, sizeof *found);
    cudaMemset(found, 0, sizeof *found);
    cudaMalloc(&every, values.size() * sizeof values[0]);
    cudaMemcpy(every, values.data(), values.size() * sizeof values[0], cudaMemcpyHostToDevice);
    edges<C><<<4096, 256>>>(every, static_cast<int>(values.size()), found);
    randoms<C><<<1 << 16, 256>>>(found);
    print(C::name(), found);
    cudaFree(found);
    cudaFree(every);
}

// Loads and stores: each moves random bits to an array of its own, which are compared by bytes.
constexpr unsigned accesses = 1 << 20;
template <typename C> __global__ void move(const typename C::type *from, typename C::type *ours, typename C::type *theirs)
{
    const unsigned at = blockIdx.x * 256 + threadIdx.x;
    C::ours(from + at, ours + at);
    C::theirs(from + at, theirs + at);
}
__global__ void fill(unsigned char *bytes)
{
    const unsigned long long at = blockIdx.x * 256ull + threadIdx.x;
    bytes[at] = static_cast<unsigned char>(random(at));
}
__global__ void compare_bytes(const unsigned char *bytes, const unsigned char *ours, const unsigned char *theirs,
                              int size, Found *found)
{
    const unsigned long long at = (blockIdx.x * 256ull + threadIdx.x) * size;
    atomicAdd(&found->compared, 1);
    for (int i = 0; i < size; ++i)
        if ((ours[at + i] != theirs[at + i] || ours[at + i] != bytes[at + i]) &&
            atomicAdd(&found->different, 1) == 0)
            found->bits[0] = at, found->ours = ours[at + i], found->theirs = theirs[at + i];
}
template <typename C> void run_memory()
{
    using T = typename C::type;
    Found *found;
    unsigned char *bytes[3];
    cudaMalloc(&found, sizeof *found);
    cudaMemset(found, 0, sizeof *found);
    for (auto &each : bytes) {
        cudaMalloc(&each, accesses * sizeof(T));
        cudaMemset(each, 0, accesses * sizeof(T));
    }
    fill<<<accesses * sizeof(T) / 256, 256>>>(bytes[0]);
    move<C><<<accesses / 256, 256>>>(reinterpret_cast<T *>(bytes[0]), reinterpret_cast<T *>(bytes[1]),
                                     reinterpret_cast<T *>(bytes[2]));
    compare_bytes<<<accesses / 256, 256>>>(bytes[0], bytes[1], bytes[2], sizeof(T), found);
    print(C::name(), found);
    for (auto each : bytes)
        cudaFree(each);
    cudaFree(found);
}

int main()
{
//@ calls
}
