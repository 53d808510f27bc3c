// One step of a breadth-first search: each warp writes a node's new neighbours in a row.
#include "check.h"

__global__ void expand(const int *start, const int *edges, int *level, int *next, int *count, int nodes)
{
    const int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (node >= nodes || level[node] != 0)
        return;
    for (int first = start[node]; first < start[node + 1]; first += 32) {
        const int edge = first + lane;
        bool is_new = false;
        if (edge < start[node + 1])
            is_new = atomicCAS(&level[edges[edge]], -1, 1) == -1;
        const unsigned fresh = __ballot_sync(0xffffffff, is_new);
        int base = 0;
        if (lane == 0 && fresh)
            base = atomicAdd(count, __popc(fresh));
        base = __shfl_sync(0xffffffff, base, 0);
        if (is_new)
            next[base + __popc(fresh & ((1u << lane) - 1))] = edges[edge];
    }
}

int main()
{
    const int nodes = 60;
    const std::vector<int> degree = numbers(nodes, 45);
    std::vector<int> start(1), level(nodes, -1), expected;
    for (int size : degree)
        start.push_back(start.back() + size);
    const std::vector<int> edges = numbers(start[nodes], nodes);
    for (int node = 0; node < nodes; node += 9)
        level[node] = 0;
    std::vector<int> reached(level);
    for (int node = 0; node < nodes; node += 9)
        for (int edge = start[node]; edge < start[node + 1]; ++edge)
            if (reached[edges[edge]] == -1) {
                reached[edges[edge]] = 1;
                expected.push_back(edges[edge]);
            }
    int *next = zeros<int>(nodes), *count = zeros<int>(1);
    expand<<<(nodes * 32 + 95) / 96, 96>>>(to_device(start), to_device(edges), to_device(level), next, count,
                                          nodes);
    std::vector<int> found = to_host(next, expected.size());
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    return verdict(to_host(count, 1)[0] == int(expected.size()) && found == expected);
}
