// A warp searches: each lane reads one of 32 places, and a ballot selects the next range.
#include "check.h"

__global__ void search(const int *sorted, const int *wanted, int *out, int n, int queries)
{
    const int lane = threadIdx.x & 31;
    for (int query = threadIdx.x / 32; query < queries; query += blockDim.x / 32) {
        int first = 0, size = n;
        while (size > 0) {
            const int step = (size + 31) / 32, at = first + lane * step;
            const bool less = at < first + size && sorted[at] < wanted[query];
            const int below = __popc(__ballot_sync(0xffffffff, less));
            if (below == 0)
                break;
            const int end = first + size;
            first += (below - 1) * step + 1;
            size = min(step - 1, end - first);
        }
        if (lane == 0)
            out[query] = first;
    }
}

int main()
{
    const int n = 2000, queries = 25;
    std::vector<int> sorted = numbers(n, 5000), expected(queries);
    std::sort(sorted.begin(), sorted.end());
    const std::vector<int> wanted = numbers(queries, 5200);
    for (int i = 0; i < queries; ++i)
        expected[i] = int(std::lower_bound(sorted.begin(), sorted.end(), wanted[i]) - sorted.begin());
    int *out = zeros<int>(queries);
    search<<<1, 128>>>(to_device(sorted), to_device(wanted), out, n, queries);
    return verdict(same(to_host(out, queries), expected));
}
