// A task graph: warps take tasks in order, and wait until all tasks that they depend on are finished.
#include "../check.h"

__device__ unsigned next_task;

static __device__ __forceinline__ int ld_volatile(const int *p) { return *(const volatile int *)p; }

__global__ void run_tasks(const int *first_input, const int *second_input, int *pending, int *value, int tasks)
{
    const unsigned lane = threadIdx.x & 31u;
    for (;;) {
        unsigned task = 0;
        if (lane == 0)
            task = atomicAdd(&next_task, 1u);
        task = __shfl_sync(~0u, task, 0);
        if (task >= tasks)
            break;
        const int a = first_input[task], b = second_input[task];
        if (lane == 0) {
            while (a >= 0 && ld_volatile(&pending[a]))
                __threadfence();
            while (b >= 0 && ld_volatile(&pending[b]))
                __threadfence();
        }
        __syncwarp();
        const int sum = 1 + (a >= 0 ? value[a] : 0) + (b >= 0 ? value[b] : 0);
        if (lane == 0) {
            value[task] = sum % 1000;
            __threadfence();
            atomicExch(&pending[task], 0);
        }
        __syncwarp();
    }
}

int main()
{
    const int tasks = 40;
    std::vector<int> a(tasks), b(tasks), expected(tasks);
    for (int i = 0; i < tasks; ++i) {
        a[i] = i - 1;
        b[i] = i / 2 - 1;
        expected[i] = (1 + (a[i] >= 0 ? expected[a[i]] : 0) + (b[i] >= 0 ? expected[b[i]] : 0)) % 1000;
    }
    int *value = zeros<int>(tasks);
    unsigned zero = 0;
    must(cudaMemcpyToSymbol(next_task, &zero, sizeof zero));
    run_tasks<<<1, 128>>>(to_device(a), to_device(b), to_device(std::vector<int>(tasks, 1)), value, tasks);
    return verdict(same(to_host(value, tasks), expected));
}
