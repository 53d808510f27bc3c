// Where a lane is: the return addresses from the kernel on down to the innermost call.
#pragma once

#include <cstdint>
#include <cstring>

namespace emulator {

struct Place {
    static constexpr int DEEPEST = 32;
    int depth = 0;
    std::uintptr_t calls[DEEPEST];
};

inline bool operator==(const Place &a, const Place &b)
{
    return a.depth == b.depth && std::memcmp(a.calls, b.calls, a.depth * sizeof(*a.calls)) == 0;
}

// Whether a lane is behind another in the code. Compiled without optimisation, code has the order of
// its source: what follows a branch or a loop lies behind all that is in it.
inline bool operator<(const Place &a, const Place &b)
{
    for (int i = 0; i < a.depth && i < b.depth; ++i)
        if (a.calls[i] != b.calls[i])
            return a.calls[i] < b.calls[i];
    return a.depth < b.depth;
}

// The place of whoever called the function with this frame. The frame pointer of the first is null.
inline Place place_of(const void *frame)
{
    std::uintptr_t found[256];
    int count = 0;
    for (auto *at = static_cast<const std::uintptr_t *>(frame); at && count < 256;
         at = reinterpret_cast<const std::uintptr_t *>(at[0]))
        found[count++] = at[1];
    Place place;
    while (count > 0 && place.depth < Place::DEEPEST)
        place.calls[place.depth++] = found[--count];
    return place;
}

} // namespace emulator
