"""What a random program says in many ways: masks, lanes, warps, numbers; and who gets where."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.lanes.fuzz.helpers import CONSTANTS, HELPERS
from benchmarks.lanes.fuzz.program import Statement, block, lines

_DEEPEST = 3
_FULL_MASKS = ("0xffffffff", "0xffffffffu", "~0u", "-1", "0xFFFFFFFF", "UINT_MAX")
_SIZES = ("32", "warpSize")


@dataclass(frozen=True, slots=True)
class Scope:
    """Which lanes of a warp get to a place, and how a mask is written that names them."""

    mask: str | None
    """None: all of them, by any full mask. Those that have exited, or never were, may be named."""
    is_whole: bool
    """Whether all 32 lanes get here, so that each may read any other."""
    is_block: bool
    """Whether all threads of the block do, so that they may meet at a barrier."""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of statements, by the lanes that they need."""

    any: tuple[Kind, ...]
    whole: tuple[Kind, ...]
    block: tuple[Kind, ...]
    branches: tuple[Kind, ...]


class Grammar:
    """What one program is made of, chosen by its seed."""

    def __init__(self, seed: int, kinds: Kinds) -> None:
        self.random = random.Random(seed)
        self.kinds = kinds
        self._names = 0
        self.is_flat = self.random.random() < 0.75
        shapes = ["32", "64", "96", "128", "256", "48", "20", "100", "233"]
        self.threads = self.random.choice(shapes if self.is_flat else ["64", "96", "128"])
        self.is_template = self.is_flat and self.random.random() < 0.2
        self.constants = self.random.sample(CONSTANTS, self.random.randint(2, len(CONSTANTS)))
        self.helpers = self.random.sample(HELPERS, self.random.randint(1, len(HELPERS)))
        self.masks = [*_FULL_MASKS, *(each.mask for each in self.constants if each.mask)]
        self.lasts = ["31", "0x1f", "(warpSize - 1)"]
        self.lasts += [each.last for each in self.constants if each.last]
        self.bits = ["5", *(each.bits for each in self.constants if each.bits)]
        self.sizes = [*_SIZES, *(each.size for each in self.constants if each.size)]

    @property
    def is_full(self) -> bool:
        """Whether the last warp of a block has all its lanes."""
        return int(self.threads) % 32 == 0

    def one_of(self, *texts: str) -> str:
        return self.random.choice(texts)

    def name(self, word: str) -> str:
        self._names += 1
        return f"{word}{self._names}"

    def mask(self, scope: Scope) -> str:
        return scope.mask or self.random.choice(self.masks)

    def size(self) -> str:
        """The number of lanes of a warp."""
        return self.random.choice(self.sizes)

    def last(self) -> str:
        """The last lane of a warp, and so the bits that all lanes have."""
        return self.one_of(*self.lasts, f"({self.size()} - 1)")

    def lane(self) -> str:
        thread = self.one_of("threadIdx.x", "tid") if self.is_flat else "threadIdx.x"
        return self.one_of(
            *("lane", "lane", f"({thread} % {self.size()})", f"({thread} & {self.last()})"),
            f"({thread} - {thread} / {self.size()} * {self.size()})",
        )

    def warp(self) -> str:
        if not self.is_flat:
            return self.one_of("warp", "threadIdx.y", f"(tid / {self.size()})")
        thread = self.one_of("threadIdx.x", "tid")
        by_bits = f"({thread} >> {self.random.choice(self.bits)})"
        return self.one_of("warp", f"({thread} / {self.size()})", by_bits)

    def warps(self) -> str:
        """The number of warps in the block."""
        if not self.is_flat:
            return "blockDim.y"
        threads = "THREADS" if self.is_template else "blockDim.x"
        if self.is_full and self.random.random() < 0.6:
            return f"({threads} / {self.size()})"
        size = self.size()
        return f"(({threads} + {size} - 1) / {size})"

    def value(self) -> str:
        """A number of the thread's own."""
        variable, other = self.random.choice("abc"), self.random.choice("abc")
        forms = [
            variable,
            f"({variable} ^ {other} >> {self.random.randint(1, 9)})",
            f"({variable} * {self.random.randint(3, 99)}u + {other})",
            f"({variable} % {self.random.randint(5, 99)}u)",
            f"({variable} + {self.lane()})",
        ]
        return self.random.choice(forms)

    def predicate(self) -> str:
        small = self.random.randint(1, 6)
        forms = [
            f"({self.value()} & {small}) != 0",
            f"{self.value()} % 7 < {small}",
            f"{self.lane()} < {self.random.randint(1, 31)}",
            f"{self.lane()} % {small + 1} == 0",
            "a > b",
            f"(a + {self.warp()}) % 3 == {small % 3}",
        ]
        return self.random.choice(forms)

    def taken(self, value: str) -> str:
        """A statement that takes a value into the thread's numbers."""
        into, by = self.random.choice("abc"), self.one_of("+=", "^=", "-=")
        return f"{into} {by} {value};"

    def statements(self, scope: Scope, count: int) -> list[Statement]:
        """So many of them. One after which fewer lanes are left takes the rest into its hands."""
        found: list[Statement] = []
        for done in range(count):
            if scope.depth == 1 and self.random.random() < 0.04:
                return found + self._after_an_exit(scope, count - done)
            found += self._statement(scope)
        return found

    def _statement(self, scope: Scope) -> list[Statement]:
        choices = [self.kinds.any, self.kinds.any]
        choices += [self.kinds.whole, self.kinds.whole] if scope.is_whole else []
        choices += [self.kinds.block] if scope.is_block else []
        choices += [self.kinds.branches] if scope.depth < _DEEPEST else []
        return self.random.choice(self.random.choice(choices))(self, scope)

    def _after_an_exit(self, scope: Scope, count: int) -> list[Statement]:
        """Some threads leave; a mask taken before names the rest, and a full one may still."""
        leaves, live = self.predicate(), self.name("live")
        exits = lines(f"if ({leaves}) return;")
        if self.random.random() < 0.3:
            exits = [block(f"if ({leaves})", *lines("out[at] = a + b;", "return;"))]
        before = lines(f"const unsigned {live} = __ballot_sync({self.mask(scope)}, !({leaves}));")
        is_named = scope.mask is not None or self.random.random() < 0.7
        mask = live if is_named else scope.mask
        rest = replace(scope, mask=mask, is_whole=False, is_block=False)
        return [*before, *exits, *self.statements(rest, count)]


Kind = Callable[[Grammar, Scope], list[Statement]]
