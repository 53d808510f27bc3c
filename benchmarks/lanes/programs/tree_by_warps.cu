// A warp walks a tree together: ballots of the lanes that want a child, one stack in shared memory per warp.
#include "check.h"

static const int WARP = 32, DEPTH = 16, WARPS_PER_BLOCK = 3;

__global__ void count_hits(const int *bounds, const int *rays, int *hits, int nodes, int n)
{
    __shared__ int stack[WARPS_PER_BLOCK][DEPTH];
    __shared__ unsigned wanting[WARPS_PER_BLOCK][DEPTH];
    const int wid = threadIdx.y, lid = threadIdx.x;
    const int ray = (blockIdx.x * WARPS_PER_BLOCK + wid) * WARP + lid;
    const bool alive = ray < n;
    const unsigned live = __ballot_sync(0xffffffff, alive);
    if (!live)
        return;
    const int x = alive ? rays[ray] : -1;
    int top = 0, found = 0;
    if (lid == 0) {
        stack[wid][0] = 0;
        wanting[wid][0] = live;
    }
    __syncwarp();
    while (top >= 0) {
        const int node = stack[wid][top];
        const unsigned mine = wanting[wid][top];
        __syncwarp();
        --top;
        const bool inside = (mine >> lid & 1u) && x >= bounds[2 * node] && x < bounds[2 * node + 1];
        const unsigned in = __ballot_sync(0xffffffffu, inside);
        if (in == 0)
            continue;
        if (2 * node + 1 >= nodes) {
            found += inside ? node : 0;
            continue;
        }
        if (lid < 2) {
            stack[wid][top + 1 + lid] = 2 * node + 1 + lid;
            wanting[wid][top + 1 + lid] = in;
        }
        __syncwarp();
        top += 2;
    }
    if (alive)
        hits[ray] = found;
}

int main()
{
    const int nodes = 31, n = 200;
    std::vector<int> bounds(2 * nodes);
    bounds[1] = 1024;
    for (int i = 0; 2 * i + 1 < nodes; ++i) {
        const int low = bounds[2 * i], high = bounds[2 * i + 1], middle = (low + high) / 2;
        bounds[4 * i + 2] = low, bounds[4 * i + 3] = middle + 8, bounds[4 * i + 4] = middle - 8, bounds[4 * i + 5] = high;
    }
    const std::vector<int> rays = numbers(n, 1100);
    std::vector<int> expected(n);
    for (int r = 0; r < n; ++r)
        for (int leaf = nodes / 2; leaf < nodes; ++leaf) {
            bool all = true;
            for (int node = leaf;; node = (node - 1) / 2) {
                all = all && rays[r] >= bounds[2 * node] && rays[r] < bounds[2 * node + 1];
                if (node == 0) break;
            }
            expected[r] += all ? leaf : 0;
        }
    int *hits = zeros<int>(n);
    count_hits<<<(n + 95) / 96, dim3(32, WARPS_PER_BLOCK)>>>(to_device(bounds), to_device(rays), hits, nodes, n);
    return verdict(same(to_host(hits, n), expected));
}
