"""Constants and device functions that programs may declare, as people write them."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.lanes.fuzz.program import Statement, Statements, block, lines


class Constant(NamedTuple):
    code: Statements
    size: str = ""
    """The name of a warp's number of lanes, if it is one."""
    mask: str = ""
    """The name of a mask of all lanes."""
    last: str = ""
    """The name of a warp's last lane, which the others' bits are."""
    bits: str = ""
    """The name of the number of a lane's bits."""


class Helper(NamedTuple):
    code: Statements
    whole: str = ""
    """A call that needs all 32 lanes; {value} is a number, {mask} the mask."""
    any: str = ""
    """A call that any lanes of a mask can make together."""


def _constant(code: str, size: str = "", **names: str) -> Constant:
    return Constant((Statement(code),), size, **names)


def _function(head: str, *body: str, whole: str = "", any: str = "") -> Helper:
    return Helper((block(head, *lines(*body)),), whole, any)


CONSTANTS = (
    _constant("#define WARP 32", "WARP"),
    _constant("constexpr int kWarp = 32;", "kWarp"),
    _constant("enum { LANES = 32 };", "LANES"),
    _constant("static const unsigned warp_lanes = 1u << 5;", "warp_lanes"),
    _constant("namespace config { constexpr unsigned warp = 32; }", "config::warp"),
    _constant("struct Traits { static constexpr int warp = 32; };", "Traits::warp"),
    _constant("constexpr int HALF = 16;", "(HALF * 2)"),
    _constant("#define LAST_LANE 31", last="LAST_LANE"),
    _constant("constexpr unsigned kLaneBits = 0x1f;", last="kLaneBits"),
    _constant("#define LOG_WARP 5", bits="LOG_WARP"),
    _constant("enum { LANE_BITS_LOG = 5, OTHERS };", bits="LANE_BITS_LOG"),
    _constant("#define FULL 0xffffffff", mask="FULL"),
    _constant("const unsigned long long wide_mask = 0xffffffffull;", mask="wide_mask"),
    _constant(
        "template <int N> constexpr unsigned lanes_of() { return ~0u >> (32 - N); }",
        mask="lanes_of<32>()",
    ),
    _constant("constexpr unsigned kAll = ~0u;", mask="kAll"),
    _constant("enum : unsigned { EVERYONE = 0xffffffffu };", mask="EVERYONE"),
    _constant("static constexpr uint32_t all_lanes = UINT32_MAX;", mask="all_lanes"),
    _constant("#define LANE_BITS(n) (0xffffffffu >> (32 - (n)))", mask="LANE_BITS(32)"),
)

_SUM = "for (int step = 16; step > 0; step /= 2)"
HELPERS = (
    Helper(
        (
            block(
                "__device__ unsigned warp_sum(unsigned value)",
                *lines(
                    f"{_SUM} value += __shfl_down_sync(0xffffffff, value, step);",
                    "return __shfl_sync(0xffffffff, value, 0);",
                ),
            ),
        ),
        whole="warp_sum({value})",
    ),
    _function(
        "template <typename T> __device__ T warp_max(T value, unsigned mask = 0xffffffffu)",
        "for (int step = warpSize / 2; step > 0; step >>= 1)",
        "    value = max(value, __shfl_xor_sync(mask, value, step));",
        "return value;",
        whole="unsigned(warp_max(int({value})))",
    ),
    _function(
        "template <int WIDTH> __device__ unsigned segment_sum(unsigned value)",
        "for (int step = WIDTH / 2; step > 0; step /= 2)",
        "    value += __shfl_xor_sync(0xffffffffu, value, step, WIDTH);",
        "return value;",
        whole="segment_sum<8>({value})",
    ),
    _function(
        "__device__ __forceinline__ unsigned scan(unsigned value, const int lane)",
        "for (int step = 1; step < 32; step <<= 1) {",
        "    const unsigned other = __shfl_up_sync(~0u, value, step);",
        "    if (lane >= step) value += other;",
        "}",
        "return value;",
        whole="scan({value}, lane)",
    ),
    _function(
        "__device__ bool elected(unsigned mask, int lane)",
        "return lane == __ffs(mask) - 1;",
        any="elected({mask}, lane)",
    ),
    _function(
        "__device__ int rank_among(unsigned mask, bool takes_part, int lane)",
        "const unsigned members = __ballot_sync(mask, takes_part);",
        "return __popc(members & ((1u << lane) - 1));",
        any="rank_among({mask}, {predicate}, lane)",
    ),
    Helper(
        (
            block(
                "struct Warp",
                *lines(
                    "unsigned mask;",
                    "int lane;",
                    "__device__ Warp(unsigned mask, int lane) : mask(mask), lane(lane) {}",
                    "__device__ unsigned sum(unsigned value) const {",
                    "    return __reduce_add_sync(mask, value);",
                    "}",
                    "__device__ int rank(bool takes_part) const {",
                    "    const unsigned below = (1u << lane) - 1;",
                    "    return __popc(__ballot_sync(mask, takes_part) & below);",
                    "}",
                ),
                end="};",
            ),
        ),
        any="(Warp({mask}, lane).sum({value}) + Warp({mask}, lane).rank({predicate}))",
    ),
    _function(
        "__device__ void vote(unsigned mask, int predicate, unsigned *set, int &count)",
        "*set = __ballot_sync(mask, predicate);",
        "count = __popc(*set);",
    ),
    _function(
        "template <typename F> __device__ unsigned combined(unsigned mask, unsigned v, F combine)",
        "unsigned result = 0;",
        "for (unsigned left = mask; left != 0; left &= left - 1)",
        "    result = combine(result, __shfl_sync(mask, v, __ffs(left) - 1));",
        "return result;",
    ),
    _function(
        "__device__ inline unsigned lane_of_thread()",
        "return threadIdx.x & (warpSize - 1);",
        any="lane_of_thread()",
    ),
    _function(
        "__device__ unsigned votes_of(unsigned mask, bool predicate)",
        "return __ballot_sync(mask, predicate);",
        any="votes_of({mask}, {predicate})",
    ),
    _function(
        "__device__ auto first_of(unsigned mask, int predicate)",
        "return __ffs(__ballot_sync(mask, predicate)) - 1;",
        any="unsigned(first_of({mask}, {predicate}))",
    ),
    _function(
        "template <typename M> __device__ int absent(M mask)",
        "return int(sizeof(M) * 8) - __popc(mask);",
        any="absent(__ballot_sync({mask}, {predicate}))",
    ),
    _function(
        "template <unsigned MASK = ~0u, typename T> __device__ T rotated(T value, int lane)",
        "return __shfl_sync(MASK, value, (lane + 1) % warpSize);",
        whole="rotated({value}, lane)",
    ),
    _function(
        "__device__ unsigned reversed_bits(unsigned value, const unsigned FULL_WARP = ~0u)",
        "unsigned bits = 0;",
        "for (int i = 0; i < warpSize; ++i)",
        "    bits |= (__shfl_sync(FULL_WARP, value, i) & 1) << (warpSize - 1 - i);",
        "return bits;",
        whole="reversed_bits({value})",
    ),
    Helper(
        (
            Statement(
                "#define SHUFFLE(kind, value, by) __shfl_##kind##_sync(0xffffffffu, value, by)"
            ),
        ),
        whole="SHUFFLE(down, {value}, 4)",
    ),
    Helper(
        (Statement("#define LARGEST(mask, value) __shfl_sync((mask), (value), 31 - __clz(mask))"),),
        whole="LARGEST(0xffffffffu, {value})",
    ),
    Helper(
        (Statement("#define BALLOT(predicate) __ballot_sync(0xffffffffu, (predicate))"),),
        whole="BALLOT({predicate})",
    ),
)
