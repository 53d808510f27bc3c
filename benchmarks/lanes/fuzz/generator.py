"""Random programs that CUDA defines: a mask names exactly those lanes that get to its call.

A program keeps three numbers a thread (`a`, `b`, `c`), changes them by what its warp does, and
prints what comes of them.
"""

from __future__ import annotations

from benchmarks.lanes.fuzz.grammar import Grammar, Scope
from benchmarks.lanes.fuzz.program import Statement, Statements, block, lines
from benchmarks.lanes.fuzz.statements import KINDS


def program(seed: int) -> Statements:
    """The program of a seed."""
    grammar = Grammar(seed, KINDS)
    top = Scope(None, grammar.is_full, is_block=True, depth=1)
    body = [*_numbers(grammar), *grammar.statements(top, grammar.random.randint(5, 12))]
    body += lines("out[at] = a * 31 + b * 17 + c;")
    head = "__global__ void kernel(const unsigned *in, unsigned *out)"
    if grammar.is_template:
        head = f"template <int THREADS> {head}"
    includes = ['#include "check.h"', "#include <cooperative_groups.h>", "#include <cub/cub.cuh>"]
    includes += ["#include <cstdint>"]
    declared = [each for one in (*grammar.constants, *grammar.helpers) for each in one.code]
    opened = lines(*includes, "namespace cg = cooperative_groups;")
    return (*opened, *declared, block(head, *body), _main(grammar))


def _numbers(grammar: Grammar) -> list[Statement]:
    """What a thread knows of itself, and its three numbers."""
    if grammar.is_flat:
        size = grammar.size()
        place = [
            "const unsigned tid = threadIdx.x;",
            f"const {grammar.one_of('int', 'unsigned', 'auto')} lane = threadIdx.x % {size};",
            f"const unsigned warp = {grammar.one_of('threadIdx.x >> 5', f'tid / {size}')};",
            "const unsigned at = blockIdx.x * blockDim.x + tid;",
        ]
    else:
        place = [
            "const unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;",
            "const int lane = threadIdx.x, warp = threadIdx.y;",
            "const unsigned at = blockIdx.x * blockDim.x * blockDim.y + tid;",
        ]
    return lines(*place, "unsigned a = in[at], b = a >> 7 ^ tid, c = tid * 2654435761u >> 9;")


def _main(grammar: Grammar) -> Statement:
    threads = int(grammar.threads)
    blocks = grammar.random.randint(1, 2)
    count = threads * blocks
    name = f"kernel<{threads}>" if grammar.is_template else "kernel"
    # `warpSize` is a variable of device code alone.
    size = grammar.size().replace("warpSize", "32")
    shape = str(threads) if grammar.is_flat else f"dim3({size}, {threads // 32})"
    return block(
        "int main()",
        *lines(
            f"unsigned *out = zeros<unsigned>({count});",
            f"const unsigned *in = to_device(numbers_as<unsigned>({count}, 1 << 20));",
            f"{name}<<<{blocks}, {shape}>>>(in, out);",
            f"const std::vector<unsigned> found = to_host(out, {count});",
            f'for (int i = 0; i < {count}; ++i) std::printf("%d %u\\n", i, found[i]);',
            "return 0;",
        ),
    )
