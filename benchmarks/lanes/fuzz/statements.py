"""The kinds of statements: for any lanes, for whole warps, for blocks, and branches."""

from __future__ import annotations

import re
from dataclasses import replace

from benchmarks.lanes.fuzz.grammar import Grammar, Kinds, Scope
from benchmarks.lanes.fuzz.program import Statement, block, lines


def arithmetic(g: Grammar, scope: Scope) -> list[Statement]:
    return lines(g.taken(g.value()))


def branch_of_one_thread(g: Grammar, scope: Scope) -> list[Statement]:
    return [block(f"if ({g.predicate()})", *lines(g.taken(g.value())))]


def ballot(g: Grammar, scope: Scope) -> list[Statement]:
    votes = g.name("votes")
    kind = g.one_of(
        "unsigned", "uint32_t", "auto", "const unsigned int", "int", "unsigned long long"
    )
    uses = [
        f"__popc({votes})",
        f"__popc({votes} & ((1u << {g.lane()}) - 1))",
        f"__popc({votes} & (0xffffffffu >> (31 - {g.lane()})))",
        f"({votes} >> {g.lane()} & 1)",
        f"unsigned(__ffs({votes}))",
        f"__clz({votes})",
        f"__brev({votes})",
        f"unsigned({votes})",
        f"({votes} == 0xffffffffu ? 5u : {votes} == 0 ? 3u : 1u)",
        f"unsigned({votes} >> 16)",
        f"__popc(~{votes})" if kind != "unsigned long long" else f"__ffsll({votes})",
        f"__popc({votes} >> {g.lane()})",
        f"__popc({votes} & ~(~0u << {g.lane()}))",
        f"(({votes} & 1u << {g.lane()}) != 0 ? 11u : 4u)",
        f"unsigned(sizeof({votes}) * {votes})",
        f"(unsigned)({votes} << 3 | {votes} >> 29)",
    ]
    made = f"{kind} {votes} = __ballot_sync({g.mask(scope)}, {g.predicate()});"
    return lines(made, g.taken(g.random.choice(uses)), g.taken(g.random.choice(uses)))


def ballot_in_place(g: Grammar, scope: Scope) -> list[Statement]:
    call = f"__ballot_sync({g.mask(scope)}, {g.predicate()})"
    forms = [
        f"__popc({call})",
        f"unsigned(__ffs({call}) - 1)",
        f"(({call} >> {g.lane()}) & 1u)",
        f"__popc({call} & ((1u << {g.lane()}) - 1u))",
        f"({call} != 0 ? a : b)",
        f"__brev({call})",
        f"__clz({call})",
        f"({call} == 0xffffffff)",
        f"unsigned(static_cast<unsigned long long>({call}) << 32 >> 30)",
        f"__popc(~{call})",
        f"({g.predicate()} ? a : 3u) * __popc({call})",
    ]
    return lines(g.taken(g.random.choice(forms)))


def votes_kept(g: Grammar, scope: Scope) -> list[Statement]:
    """Ballots in a struct, an array, or behind a pointer."""
    name = g.name("kept")
    ballots = [f"__ballot_sync({g.mask(scope)}, {g.predicate()})" for _ in range(2)]
    if g.random.random() < 0.5:
        return lines(
            f"unsigned {name}[2] = {{{ballots[0]}, {ballots[1]}}};",
            g.taken(f"(__popc({name}[0]) << 8 | __ffs({name}[lane & 1]))"),
        )
    return lines(
        f"struct {{ unsigned set; int count; }} {name} = {{{ballots[0]}, 0}};",
        f"{name}.count = __popc({name}.set);",
        g.taken(f"({name}.set ^ {name}.count)"),
    )


def any_or_all(g: Grammar, scope: Scope) -> list[Statement]:
    function = g.one_of("__any_sync", "__all_sync")
    call = f"{function}({g.mask(scope)}, {g.predicate()})"
    return lines(g.one_of(f"if ({call}) a += 3;", f"b += {call} ? c : 7u;", f"c ^= {call};"))


def reduction(g: Grammar, scope: Scope) -> list[Statement]:
    function = g.one_of("add", "min", "max", "and", "or", "xor")
    value = g.value()
    if function in ("add", "min", "max") and g.random.random() < 0.3:
        value = f"int({value})"
    return lines(g.taken(f"unsigned(__reduce_{function}_sync({g.mask(scope)}, {value}))"))


def match(g: Grammar, scope: Scope) -> list[Statement]:
    peers, key = g.name("peers"), f"{g.value()} % {g.random.randint(2, 5)}"
    made = f"unsigned {peers} = __match_any_sync({g.mask(scope)}, {key});"
    uses = [
        f"__popc({peers})",
        f"__popc({peers} & ((1u << {g.lane()}) - 1))",
        f"__shfl_sync({peers}, {g.value()}, __ffs({peers}) - 1)",
        f"__reduce_add_sync({peers}, {g.value()})",
        f"(__ffs({peers}) - 1 == {g.lane()} ? a : 2u)",
    ]
    return lines(made, g.taken(g.random.choice(uses)))


def match_all(g: Grammar, scope: Scope) -> list[Statement]:
    same, value = g.name("same"), g.one_of(f"{g.value()} % 2", f"{g.warp()}", "17u")
    call = f"__match_all_sync({g.mask(scope)}, {value}, &{same})"
    return lines(f"int {same} = 0;", g.taken(f"__popc({call})"), g.taken(f"unsigned({same})"))


def leader(g: Grammar, scope: Scope) -> list[Statement]:
    """A value of the first or the last lane that takes part."""
    votes, mask = g.name("in"), g.mask(scope)
    first = g.one_of(f"__ffs({votes}) - 1", f"31 - __clz({votes})")
    value = g.one_of(
        g.value(), f"(unsigned long long)({g.value()}) << 20", f"float({g.value()} % 64)"
    )
    return lines(
        f"const unsigned {votes} = __ballot_sync({mask}, true);",
        g.taken(f"unsigned(__shfl_sync({mask}, {value}, {first}))"),
    )


def _renamed(value: str, name: str, other: str) -> str:
    return re.sub(rf"\b{name}\b", other, value)


def loop_over_bits(g: Grammar, scope: Scope) -> list[Statement]:
    left, mask = g.name("left"), g.mask(scope)
    value = _renamed(g.value(), "c", "b")
    return [
        Statement(f"unsigned {left} = __ballot_sync({mask}, {g.predicate()});"),
        block(
            g.one_of(f"while ({left} != 0)", f"for (; {left};)"),
            *lines(
                f"c += __shfl_sync({mask}, {value}, __ffs({left}) - 1);",
                g.one_of(f"{left} &= {left} - 1;", f"{left} ^= 1u << (__ffs({left}) - 1);"),
            ),
        ),
    ]


def uneven_loop(g: Grammar, scope: Scope) -> list[Statement]:
    """Lanes leave a loop one after the other, and those that stay know of each other."""
    going, limit, turn = g.name("going"), g.name("limit"), g.name("k")
    inner = replace(scope, mask=going, is_whole=False, is_block=False, depth=scope.depth + 1)
    inside = [
        *g.statements(inner, 1),
        Statement(f"{going} = __ballot_sync({going}, {turn} + 1 < {limit});"),
    ]
    return [
        *lines(
            f"const unsigned {limit} = {g.value()} % 4;",
            f"unsigned {going} = __ballot_sync({g.mask(scope)}, {limit} > 0);",
        ),
        block(f"for (unsigned {turn} = 0; {turn} < {limit}; ++{turn})", *inside),
    ]


def loop_while_any(g: Grammar, scope: Scope) -> list[Statement]:
    turn, limit = g.name("k"), g.name("limit")
    return [
        Statement(f"const unsigned {limit} = {g.value()} % 5;"),
        block(
            f"for (unsigned {turn} = 0; __any_sync({g.mask(scope)}, {turn} < {limit}); ++{turn})",
            *g.statements(replace(scope, depth=scope.depth + 1, is_block=False), 1),
        ),
    ]


def helper_of_any(g: Grammar, scope: Scope) -> list[Statement]:
    calls = [each.any for each in g.helpers if each.any]
    if not calls:
        return sync(g, scope)
    call = g.random.choice(calls).format(
        mask=g.mask(scope), predicate=g.predicate(), value=g.value()
    )
    return lines(g.taken(f"unsigned({call})"))


def vote_helper(g: Grammar, scope: Scope) -> list[Statement]:
    if not any("void vote(" in each.code[0].head for each in g.helpers):
        return reduction(g, scope)
    votes, count = g.name("set"), g.name("count")
    return lines(
        f"unsigned {votes};",
        f"int {count};",
        f"vote({g.mask(scope)}, {g.predicate()}, &{votes}, {count});",
        g.taken(f"({votes} + {count})"),
    )


def lambda_over_mask(g: Grammar, scope: Scope) -> list[Statement]:
    name = g.name("apply")
    mask = g.mask(scope)
    return lines(
        f"auto {name} = [&](unsigned v) {{ return __reduce_add_sync({mask}, v) + {g.lane()}; }};",
        g.taken(f"{name}({g.value()})"),
    )


def aggregated_atomic(g: Grammar, scope: Scope) -> list[Statement]:
    """One lane adds for all that take part, and hands the place to each of them."""
    count, votes, start = g.name("count"), g.name("active"), g.name("start")
    mask = g.mask(scope)
    return [
        *lines(
            f"__shared__ unsigned {count}[32];",
            f"if ({g.lane()} == 0) {count}[{g.warp()}] = 0;",
            "__syncthreads();",
            f"const unsigned {votes} = __ballot_sync({mask}, {g.predicate()});",
            f"unsigned {start} = 0;",
        ),
        block(
            f"if ({votes} != 0)",
            *lines(
                f"if ({g.lane()} == __ffs({votes}) - 1)",
                f"    {start} = atomicAdd(&{count}[{g.warp()}], __popc({votes}));",
                f"{start} = __shfl_sync({mask}, {start}, __ffs({votes}) - 1);",
            ),
        ),
        Statement(g.taken(f"({start} + __popc({votes} & ((1u << {g.lane()}) - 1)))")),
        Statement("__syncthreads();"),
        Statement(g.taken(f"{count}[{g.warp()}]")),
    ]


def register(g: Grammar, scope: Scope) -> list[Statement]:
    """What PTX says of the lane."""
    name, place = g.one_of("laneid", "lanemask_lt", "lanemask_ge"), g.name("register")
    return lines(
        f"unsigned {place};",
        f'asm("mov.u32 %0, %%{name};" : "=r"({place}));',
        g.taken(place),
    )


def sync(g: Grammar, scope: Scope) -> list[Statement]:
    if scope.mask is None and g.random.random() < 0.5:
        return lines("__syncwarp();")
    return lines(f"__syncwarp({g.mask(scope)});")


def shuffle(g: Grammar, scope: Scope) -> list[Statement]:
    width = g.one_of("", "", f", {g.size()}", ", 16", ", 8", ", 4")
    value = g.one_of(
        g.value(),
        f"int({g.value()})",
        f"(unsigned long long)({g.value()}) * 3",
        f"float({g.value()} % 1024)",
        f"double({g.value()} % 1024)",
    )
    other = {
        "": g.one_of(
            f"({g.value()} % {g.size()})",
            f"({g.lane()} + 1) & {g.last()}",
            f"{g.lane()} ^ {g.one_of('1', '16', g.last())}",
            g.last(),
            "0",
        ),
        "_xor": g.one_of("1", "2", "4", "8", "16", "5", g.last(), f"{g.size()} / 4"),
        "_up": f"{g.random.randint(1, 31)}",
        "_down": f"{g.random.randint(1, 31)}",
    }
    kind = g.random.choice(list(other))
    lane = other[kind]
    return lines(g.taken(f"unsigned(__shfl{kind}_sync({g.mask(scope)}, {value}, {lane}{width}))"))


def butterfly(g: Grammar, scope: Scope) -> list[Statement]:
    kind, step, mask = g.one_of("_xor", "_down"), g.name("step"), g.mask(scope)
    size = g.size()
    half = g.one_of("16", f"{size} / 2", f"{size} >> 1")
    next_step = g.one_of(f"{step} /= 2", f"{step} >>= 1")
    head = f"for (int {step} = {half}; {step} > 0; {next_step})"
    return lines("#pragma unroll", head, f"    a += __shfl{kind}_sync({mask}, a, {step});")


def loop_over_lanes(g: Grammar, scope: Scope) -> list[Statement]:
    from_lane, end = g.name("i"), g.one_of(f"< {g.size()}", f"<= {g.last()}")
    value = _renamed(g.value(), "c", "a")
    return lines(
        f"for (int {from_lane} = 0; {from_lane} {end}; {from_lane}++)",
        f"    c = c * 3 + __shfl_sync({g.mask(scope)}, {value}, {from_lane});",
    )


def packed_ballots(g: Grammar, scope: Scope) -> list[Statement]:
    """Two warps' worth of votes in one number, as CUDA's ballots of 32 bits allow."""
    packed = g.name("packed")
    first, second = (f"__ballot_sync({g.mask(scope)}, {g.predicate()})" for _ in range(2))
    return lines(
        f"unsigned long long {packed} = (unsigned long long){first} << 32;",
        f"{packed} |= {second};",
        g.taken(f"unsigned({packed} >> {g.lane()})"),
        g.taken(f"__popcll({packed})"),
    )


def without_sync(g: Grammar, scope: Scope) -> list[Statement]:
    """The functions that CUDA had before masks."""
    return lines(
        g.taken(
            g.one_of(
                f"__popc(__ballot({g.predicate()}))",
                f"__shfl({g.value()}, {g.last()})",
                f"__shfl_xor({g.value()}, 8)",
                f"__shfl_down({g.value()}, 3, 16)",
                f"__shfl_up({g.value()}, 1)",
                f"(__any({g.predicate()}) + 2 * __all({g.predicate()}))",
                f"unsigned(__ballot({g.predicate()}) >> {g.lane()})",
            )
        )
    )


def library_sum(g: Grammar, scope: Scope) -> list[Statement]:
    """cub::WarpReduce, which takes 32 lanes where nothing else is said."""
    if not g.is_full:
        return neighbours(g, scope)
    reduce, memory, total = g.name("Reduce"), g.name("memory"), g.name("total")
    return lines(
        f"using {reduce} = cub::WarpReduce<unsigned>;",
        f"__shared__ typename {reduce}::TempStorage {memory}[8];",
        f"const unsigned {total} = {reduce}({memory}[{g.warp()}]).Sum({g.value()});",
        f"if ({g.lane()} == 0) a += {total};",
    )


def transposed(g: Grammar, scope: Scope) -> list[Statement]:
    """A square of numbers, of the first warp alone."""
    square, size = (
        g.name("square"),
        g.random.choice([each for each in g.sizes if each != "warpSize"]),
    )
    if not g.is_full:
        return through_shared(g, scope)
    return [
        Statement(f"__shared__ unsigned {square}[{size}][{size} + 1];"),
        block(
            f"if ({g.warp()} == 0)",
            *lines(
                f"for (int row = 0; row < {g.size()}; ++row)",
                f"    {square}[row][{g.lane()}] = a * row + {g.lane()};",
                f"__syncwarp({g.mask(scope)});",
                f"for (int column = 0; column < {g.size()}; ++column)",
                f"    c += {square}[{g.lane()}][column] * column;",
            ),
        ),
        Statement("__syncthreads();"),
    ]


def strided(g: Grammar, scope: Scope) -> list[Statement]:
    """A warp's lanes go over an array in strides of its size."""
    place = g.name("i")
    return lines(
        f"for (unsigned {place} = {g.lane()}; {place} < 100; {place} += {g.size()})",
        g.taken(f"({place} * {place})"),
    )


def scan(g: Grammar, scope: Scope) -> list[Statement]:
    step, other = g.name("step"), g.name("other")
    return [
        block(
            f"for (int {step} = 1; {step} < {g.size()}; {step} *= 2)",
            *lines(
                f"const unsigned {other} = __shfl_up_sync({g.mask(scope)}, b, {step});",
                f"if ({g.lane()} >= {step}) b += {other};",
            ),
        )
    ]


def helper_of_all(g: Grammar, scope: Scope) -> list[Statement]:
    calls = [each.whole for each in g.helpers if each.whole]
    if not calls or scope.mask is not None:
        return shuffle(g, scope)
    call = g.random.choice(calls).format(value=g.value(), predicate=g.predicate())
    return lines(g.taken(call))


def combined_helper(g: Grammar, scope: Scope) -> list[Statement]:
    if not any("combined(" in each.code[0].head for each in g.helpers):
        return butterfly(g, scope)
    operation = g.one_of("x + y", "x ^ y", "x > y ? x : y")
    combine = f"[](unsigned x, unsigned y) {{ return {operation}; }}"
    return lines(g.taken(f"combined({g.mask(scope)}, {g.value()}, {combine})"))


def tile(g: Grammar, scope: Scope) -> list[Statement]:
    if not g.is_full:
        return through_shared(g, scope)
    name, size = g.name("tile"), g.one_of("32", "32", "16", "8")
    uses = [
        f"{name}.shfl({g.value()}, {name}.size() - 1)",
        f"{name}.shfl_xor({g.value()}, {g.one_of('1', '2', '4')})",
        f"{name}.shfl_down({g.value()}, {g.one_of('1', '3')})",
        f"unsigned({name}.ballot({g.predicate()}))",
        f"__popc({name}.ballot({g.predicate()}))",
        f"unsigned({name}.any({g.predicate()}))",
        f"unsigned({name}.all({g.predicate()}))",
        f"unsigned({name}.thread_rank())",
    ]
    made = f"cg::tiled_partition<{size}>(cg::this_thread_block())"
    declared = g.one_of("auto", f"cg::thread_block_tile<{size}>")
    return lines(
        f"{declared} {name} = {made};", *(g.taken(g.random.choice(uses)) for _ in range(2))
    )


def through_shared(g: Grammar, scope: Scope) -> list[Statement]:
    """A number a warp, through memory that the block shares."""
    shared = g.name("shared")
    return lines(
        f"__shared__ unsigned {shared}[32];",
        f"if ({g.lane()} == 0) {shared}[{g.warp()}] = {g.value()};",
        "__syncthreads();",
        g.taken(f"{shared}[({g.warp()} + 1) % {g.warps()}]"),
        "__syncthreads();",
    )


def block_sum(g: Grammar, scope: Scope) -> list[Statement]:
    """The sums of the warps, which the first warp adds up."""
    shared, step, mask = g.name("sums"), g.name("step"), g.mask(scope)
    if not g.is_full:
        return through_shared(g, scope)
    return [
        *lines(
            f"__shared__ unsigned {shared}[32];",
            f"b = __reduce_add_sync({mask}, a);",
            f"if ({g.lane()} == 0) {shared}[{g.warp()}] = b;",
            "__syncthreads();",
        ),
        block(
            f"if ({g.warp()} == 0)",
            *lines(
                f"b = {g.lane()} < {g.warps()} ? {shared}[{g.lane()}] : 0;",
                f"for (int {step} = {g.size()} / 2; {step} > 0; {step} /= 2)",
                f"    b += __shfl_down_sync({mask}, b, {step});",
                f"if ({g.lane()} == 0) {shared}[0] = b;",
            ),
        ),
        *lines("__syncthreads();", g.taken(f"{shared}[0]"), "__syncthreads();"),
    ]


def neighbours(g: Grammar, scope: Scope) -> list[Statement]:
    """What each lane writes for the next one of its warp."""
    memory = g.name("memory")
    if not g.is_full:
        return through_shared(g, scope)
    size = g.size()
    return lines(
        f"__shared__ unsigned {memory}[256];",
        f"{memory}[tid] = {g.value()};",
        "__syncwarp();",
        g.taken(f"{memory}[{g.warp()} * {size} + ({g.lane()} + 1) % {size}]"),
        "__syncthreads();",
    )


def voted_branch(g: Grammar, scope: Scope) -> list[Statement]:
    """Both sides of a branch, each with the mask of those that take it."""
    taken, condition = g.name("taken"), g.name("is")
    inner = replace(scope, is_whole=False, is_block=False, depth=scope.depth + 1)
    found = lines(
        f"const bool {condition} = {g.predicate()};",
        f"const unsigned {taken} = __ballot_sync({g.mask(scope)}, {condition});",
    )
    found.append(block(f"if ({condition})", *g.statements(replace(inner, mask=taken), 2)))
    if g.random.random() < 0.4:
        others = g.name("others")
        made = f"const unsigned {others} = __ballot_sync({g.mask(scope)}, !{condition});"
        found.insert(2, Statement(made))
        found.append(block("else", *g.statements(replace(inner, mask=others), 1)))
    return found


def part_of_a_warp(g: Grammar, scope: Scope) -> list[Statement]:
    """Lanes that a constant names."""
    if not scope.is_whole or scope.mask is not None:
        return voted_branch(g, scope)
    lane = g.lane()
    condition, mask = g.random.choice(
        (
            (f"{lane} < 16", "0x0000ffffu"),
            (f"{lane} >= 16", "0xffff0000"),
            (f"{lane} & 1", "0xaaaaaaaau"),
            (f"{lane} == 0", "1u"),
            (f"{lane} < 8", "(1u << 8) - 1"),
            (f"{lane} != 31", "0x7fffffff"),
        )
    )
    inner = replace(scope, mask=mask, is_whole=False, is_block=False, depth=scope.depth + 1)
    return [block(f"if ({condition})", *g.statements(inner, 2))]


def some_warps(g: Grammar, scope: Scope) -> list[Statement]:
    """A branch that whole warps take, or do not."""
    warp = g.warp()
    condition = g.one_of(f"{warp} == 0", f"{warp} & 1", f"{warp} % 3 == 1", f"{warp} >= 2")
    inner = replace(scope, is_block=False, depth=scope.depth + 1)
    found = [block(f"if ({condition})", *g.statements(inner, 2))]
    if g.random.random() < 0.3:
        found.append(block("else", *g.statements(inner, 1)))
    return found


def switch_by_warp(g: Grammar, scope: Scope) -> list[Statement]:
    inner = replace(scope, is_block=False, depth=scope.depth + 1)
    cases = [
        block(f"case {number}:", *g.statements(inner, 1), Statement("break;"))
        for number in range(2)
    ]
    return [block(f"switch ({g.warp()} & 3)", *cases, *lines("default: a += 1;"))]


KINDS = Kinds(
    any=(
        *(arithmetic, branch_of_one_thread, ballot, ballot, ballot_in_place, votes_kept),
        *(any_or_all, reduction, match, match_all, leader, loop_over_bits, helper_of_any),
        *(vote_helper, lambda_over_mask, sync, register, packed_ballots, strided),
    ),
    whole=(
        *(shuffle, shuffle, butterfly, scan, helper_of_all, helper_of_all, combined_helper),
        *(loop_over_lanes, without_sync),
    ),
    block=(through_shared, block_sum, neighbours, tile, transposed, library_sum, aggregated_atomic),
    branches=(
        *(voted_branch, voted_branch, part_of_a_warp, some_warps, switch_by_warp),
        *(uneven_loop, loop_while_any),
    ),
)
