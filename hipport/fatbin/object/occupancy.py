"""Waves per SIMD that a kernel leaves room for, and what limits them.

The register files, slots and LDS of each processor are in rules/targets.toml; the rules are
those of LLVM's AMDGPU back end (AMDGPUBaseInfo.cpp), with LDS rounded up to its unit of
allocation as the hardware does.
"""

from __future__ import annotations

from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.processors import families, processors
from hipport.named_tuples import NamedTuple

DEFAULT_WAVE = 64


class Needs(NamedTuple):
    """The resources of one wave or work-group: registers are those allocated, not those used."""

    vgprs: int
    sgprs: int
    lds: int
    """Bytes of a work-group."""
    wave_size: int
    group_size: int
    """Work-items of a work-group."""
    one_unit: bool = False
    """gfx10 and later: the work-group stays on one compute unit (CU mode)."""


class Occupancy(NamedTuple):
    waves: int
    """Waves per SIMD."""
    most: int
    """Wave slots of one SIMD."""
    limits: dict[str, int]
    """Resource -> waves per SIMD that it allows: slots, vgpr, sgpr, group, lds."""

    @property
    def limit(self) -> str:
        """The most limiting resource; "slots" if nothing limits the kernel."""
        return min(self.limits, key=lambda resource: self.limits[resource])


def occupancy(processor: str, needs: Needs) -> Occupancy | None:
    """The occupancy on a processor; None if it or its wave size is not in the table."""
    known = processors().get(processor)
    family = families().get(known.family) if known is not None else None
    if family is None:
        return None
    registers = family.get(f"wave{needs.wave_size}")
    if registers is None:
        return None
    total, granule, _ = registers
    slots: int = family["max_waves"]
    limits = {"slots": slots, "vgpr": _fit(total, needs.vgprs, granule)}
    if "sgprs" in family:
        count, unit, most = family["sgprs"]
        limits["sgpr"] = _fit(count, min(needs.sgprs, most), unit)
    simds, lds, groups = family["simds"], family["lds"], family["max_groups"]
    if needs.one_unit and "wave32" in family:
        simds, lds, groups = simds // 2, lds // 2, groups // 2
    waves = max(1, -(-needs.group_size // needs.wave_size))
    fitting = simds * slots // waves
    if waves > 1:
        fitting = min(fitting, groups)
    limits["group"] = -(-fitting * waves // simds)
    if needs.lds:
        unit = family["lds_granule"]
        room = lds // (-(-needs.lds // unit) * unit)
        limits["lds"] = -(-room * waves // simds)
    limits = {resource: min(count, slots) for resource, count in limits.items()}
    return Occupancy(min(limits.values()), slots, limits)


def _fit(total: int, wanted: int, granule: int) -> int:
    rounded = -(-max(1, wanted) // granule) * granule
    return total // rounded


def needs_of(kernel: Kernel, processor: str, group_size: int = 0) -> Needs:
    """What a kernel needs: registers from its descriptor where it has one, else the metadata's
    counts. Without a group size the largest allowed one is taken."""
    wave = kernel.wave_size or DEFAULT_WAVE
    vgprs, sgprs = kernel.vgprs, kernel.sgprs
    known = processors().get(processor)
    family = families().get(known.family, {}) if known is not None else {}
    descriptor = kernel.descriptor
    if descriptor is not None and f"wave{wave}" in family:
        vgprs = (descriptor.vgpr_blocks + 1) * family[f"wave{wave}"][2]
        if "sgprs" in family:
            # Blocks count 8 registers; since gfx8 they are allocated in pairs of blocks.
            sgprs = (descriptor.sgpr_blocks + 1) * 8
    mode = kernel.workgroup_processor_mode
    size = group_size or kernel.max_workgroup_size or wave
    return Needs(vgprs, sgprs, kernel.lds, wave, size, mode is False)


def occupancy_of(kernel: Kernel, processor: str, group_size: int = 0) -> Occupancy | None:
    """The occupancy of a kernel of a code object on that processor."""
    return occupancy(processor, needs_of(kernel, processor, group_size))
