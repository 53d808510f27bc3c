// Warp-aggregated counters by key, in a class template: match_any, reduce by rank, and a functor.
#include "check.h"

template <typename Counter> class Aggregator {
  public:
    __device__ explicit Aggregator(Counter *counters) : counters_(counters) {}
    template <typename Key> __device__ Counter claim(Key key)
    {
        const unsigned active = __activemask();
        const unsigned peers = __match_any_sync(active, key);
        const int lane = threadIdx.x & (warpSize - 1);
        const int leader = 31 - __clz(peers);
        Counter base = 0;
        if (lane == leader)
            base = atomicAdd(&counters_[key], static_cast<Counter>(__popc(peers)));
        base = __shfl_sync(peers, base, leader);
        unsigned before;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
        return base + __popc(peers & before);
    }

  private:
    Counter *counters_;
};

__global__ void claim_all(const int *keys, int n, unsigned *counters, unsigned *places)
{
    Aggregator<unsigned> aggregator(counters);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (keys[i] != 3)
            places[i] = aggregator.claim(keys[i]);
}

int main()
{
    const int n = 1000, kinds = 7;
    const std::vector<int> keys = numbers(n, kinds);
    unsigned *counters = zeros<unsigned>(kinds), *places = zeros<unsigned>(n);
    claim_all<<<1, 96>>>(to_device(keys), n, counters, places);
    const std::vector<unsigned> count = to_host(counters, kinds), place = to_host(places, n);
    std::vector<std::vector<int>> seen(kinds, std::vector<int>(n));
    bool passed = count[3] == 0;
    for (int i = 0; i < n; ++i)
        if (keys[i] != 3)
            passed = passed && place[i] < count[keys[i]] && !seen[keys[i]][place[i]]++;
    return verdict(passed);
}
