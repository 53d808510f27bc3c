"""The variables of a file's functions, as its warps are: 32 lanes where conversion keeps them."""

from __future__ import annotations

from hipport.source.flow.values import Values, values
from hipport.source.source_file import Unit


def values_of(unit: Unit) -> list[Values]:
    """Those of each function that runs on the device, in order."""
    return values(unit.code, unit.rules, is_kept=are_kept(unit))


def are_kept(unit: Unit) -> bool:
    """Whether conversion keeps the warps of a file at 32 lanes."""
    return unit.keeps_warps is not None and unit.keeps_warps(0)
