"""How many of a processor's lanes a kernel's work-groups keep busy, for each size of block."""

from __future__ import annotations

from functools import lru_cache

from hipport.fatbin.object.occupancy import Needs, Occupancy, occupancy
from hipport.fatbin.processors import families, processors
from hipport.fatbin.target_id import parse_target
from hipport.named_tuples import NamedTuple
from hipport.trace.model import BinaryKernel

SIZES = tuple(range(64, 1025, 64))
"""The blocks that are tried, in work-items."""


class Choice(NamedTuple):
    """A block size, and the busy lanes that result."""

    size: int
    occupancy: Occupancy
    share: float
    """The part of a SIMD's lanes, all waves counted, that work-items of the kernel have."""

    @property
    def limit(self) -> str:
        """The most limiting resource; of several the last, as a compiler gives a kernel the
        registers that its LDS leaves room for anyway (LLVM, SIMachineFunctionInfo)."""
        limits = self.occupancy.limits
        return min(reversed(limits), key=lambda resource: limits[resource])


def choice(kernel: BinaryKernel, size: int, dynamic_lds: int = 0) -> Choice | None:
    """The busy lanes with blocks of one size; None if unknown, or if none can be launched."""
    if kernel.needs is None:
        return None
    return _of_size(kernel.target, kernel.needs, kernel.resources["group"], size, dynamic_lds)


@lru_cache(maxsize=4096)
def _of_size(
    target: str, needs: Needs, largest: int | None, size: int, dynamic: int
) -> Choice | None:
    if size < 1 or (largest and size > largest):
        return None
    needs = needs._replace(group_size=size, lds=needs.lds + dynamic)
    limit = lds_limit(target)
    if limit is not None and needs.lds > limit:
        return None
    found = occupancy(parse_target(target).processor, needs)
    if found is None or not found.waves:
        return None
    waves = -(-size // needs.wave_size)
    return Choice(size, found, found.waves / found.most * size / (waves * needs.wave_size))


def choices(kernel: BinaryKernel, dynamic_lds: int = 0) -> tuple[Choice, ...]:
    """The busy lanes for each of SIZES that can be launched."""
    if kernel.needs is None:
        return ()
    return _choices(kernel.target, kernel.needs, kernel.resources["group"], dynamic_lds)


@lru_cache(maxsize=4096)
def _choices(target: str, needs: Needs, largest: int | None, dynamic: int) -> tuple[Choice, ...]:
    found = (_of_size(target, needs, largest, size, dynamic) for size in SIZES)
    return tuple(each for each in found if each is not None)


@lru_cache(maxsize=256)
def lds_limit(target: str) -> int | None:
    """Bytes of LDS that a work-group can have on a target; None for an unknown one."""
    known = processors().get(parse_target(target).processor)
    family = families().get(known.family) if known is not None else None
    return None if family is None else int(family["workgroup_lds"])
