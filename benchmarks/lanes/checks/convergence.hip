// Which lanes meet: those that are at one place, after all that are behind them in the code.
#include "check.h"

using Lanes = unsigned long long;

__device__ Lanes here() { return __activemask(); }

__global__ void branches(Lanes *out)
{
    const unsigned lane = threadIdx.x;
    Lanes *own = out + 8 * lane;
    if (lane < 10)
        own[0] = here();
    else
        own[0] = here();
    own[1] = here();
    if (lane % 2 == 0 && __popcll(own[2] = here()) > 0 && lane > 4)
        own[3] = here();
    own[4] = here();
    switch (lane % 4) {
    case 0:
        own[5] = here();
        break;
    case 1:
        own[5] = here();
        // falls through
    default:
        own[6] = here();
    }
    if (lane == 3)
        return;
    own[7] = here();
}

__global__ void loops(Lanes *out)
{
    const unsigned lane = threadIdx.x;
    Lanes *own = out + 8 * lane;
    for (unsigned turn = 0; turn < lane % 4; ++turn)
        own[turn] = here(); // those that loop at least so often
    own[3] = here();
    for (unsigned turn = 0; turn < 2; ++turn) {
        if (turn == lane % 2)
            continue;
        own[4 + turn] = here(); // those of the same turn, not of the next
    }
    while (true) {
        own[6] = here();
        if (lane >= 5)
            break;
        if (__any(lane == 4))
            break;
    }
    own[7] = here();
}

Lanes lanes_with(bool (*predicate)(unsigned))
{
    Lanes lanes = 0;
    for (int lane = 0; lane < warpSize; ++lane)
        lanes |= Lanes(predicate(lane)) << lane;
    return lanes;
}

int main()
{
    const Lanes all = below(warpSize), first = below(10);
    const Lanes even = lanes_with([](unsigned lane) { return lane % 2 == 0; });
    Lanes *out = device<Lanes>(8 * warpSize);
    hipLaunchKernelGGL(branches, dim3(1), dim3(warpSize), 0, 0, out);
    const Lanes *at = out + 8 * 12, *odd = out + 8 * 13;
    expect(out[0] == first && at[0] == (all & ~first), "a function called from two branches is two places");
    expect(at[1] == all, "lanes meet behind a branch");
    expect(at[2] == even, "an operand of && is reached by some");
    expect(at[3] == (even & ~below(5)), "the body of a condition with && is reached by fewer");
    expect(at[4] == all, "lanes meet behind a condition with &&");
    expect(at[5] == lanes_with([](unsigned lane) { return lane % 4 == 0; }), "a case of a switch");
    expect(odd[6] == lanes_with([](unsigned lane) { return lane % 4 != 0; }), "a case reached from above");
    expect(at[7] == (all & ~8ull), "a lane that has returned is not active");
    hipMemset(out, 0, 8 * warpSize * sizeof(Lanes));
    hipLaunchKernelGGL(loops, dim3(1), dim3(warpSize), 0, 0, out);
    expect(out[8 * 7 + 0] == lanes_with([](unsigned lane) { return lane % 4 > 0; }), "turn 0 of a loop");
    expect(out[8 * 7 + 2] == lanes_with([](unsigned lane) { return lane % 4 > 2; }), "turn 2 of a loop");
    expect(out[8 * 7 + 3] == all, "lanes meet behind a loop");
    expect(out[8 * 1 + 4] == (all & ~even) && out[5] == even, "lanes that continue wait for the others");
    expect(out[6] == all && out[7] == all, "lanes that break wait for the others");
    return verdict();
}
