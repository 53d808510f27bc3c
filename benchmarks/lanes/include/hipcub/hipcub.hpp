// hipCUB's operations of a warp. Without a second argument they take in the whole wavefront.
#pragma once

#include "../hip/hip_runtime.h"

namespace hipcub {

struct Sum {
    template <typename T> T operator()(T a, T b) const { return a + b; }
};
struct Max {
    template <typename T> T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Min {
    template <typename T> T operator()(T a, T b) const { return b < a ? b : a; }
};

inline int lanes_width(int threads) { return threads ? threads : warpSize; }

template <typename T, int Threads = 0> class WarpReduce {
public:
    struct TempStorage {
        T unused;
    };
    explicit WarpReduce(TempStorage &) {}

    template <typename Combine> T Reduce(T value, Combine combine, int valid)
    {
        const int width = lanes_width(Threads), own = __lane_id() & (width - 1);
        for (int delta = 1; delta < width; delta *= 2) {
            const T other = __shfl_down(value, delta, width);
            if (own + delta < valid)
                value = combine(value, other);
        }
        return value;
    }
    template <typename Combine> T Reduce(T value, Combine combine)
    {
        return Reduce(value, combine, lanes_width(Threads));
    }
    T Sum(T value) { return Reduce(value, hipcub::Sum()); }
    T Sum(T value, int valid) { return Reduce(value, hipcub::Sum(), valid); }
};

template <typename T, int Threads = 0> class WarpScan {
public:
    struct TempStorage {
        T unused;
    };
    explicit WarpScan(TempStorage &) {}

    template <typename Combine> void InclusiveScan(T value, T &result, Combine combine)
    {
        const int width = lanes_width(Threads), own = __lane_id() & (width - 1);
        for (int delta = 1; delta < width; delta *= 2) {
            const T other = __shfl_up(value, delta, width);
            if (own >= delta)
                value = combine(other, value);
        }
        result = value;
    }
    void InclusiveSum(T value, T &result) { InclusiveScan(value, result, Sum()); }
    void ExclusiveSum(T value, T &result)
    {
        T inclusive;
        InclusiveSum(value, inclusive);
        result = inclusive - value;
    }
    void ExclusiveSum(T value, T &result, T &all)
    {
        T inclusive;
        InclusiveSum(value, inclusive);
        result = inclusive - value;
        all = __shfl(inclusive, lanes_width(Threads) - 1, lanes_width(Threads));
    }
};

} // namespace hipcub
