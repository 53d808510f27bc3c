"""Facts about processors from rules/targets.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from hipport.errors import RuleError
from hipport.fatbin.target_id import SPIRV, TargetId
from hipport.named_tuples import NamedTuple


class Processor(NamedTuple):
    """One row of the table. Register and LDS numbers are those of one SIMD or compute unit."""

    name: str
    mach: int
    family: str
    covers: tuple[str, ...]
    """For a generic processor: those its code runs on."""
    version: int = 0
    """For a generic processor: the smallest version of its code that they accept."""


@cache
def table() -> dict[str, Any]:
    """The parsed file; raises RuleError when it is missing or malformed."""
    # Installed packages carry rules/ inside, a checkout beside the package.
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "rules", package.parent / "rules"):
        path = folder / "targets.toml"
        if path.is_file():
            try:
                return tomllib.loads(path.read_text("utf-8"))
            except tomllib.TOMLDecodeError as error:
                raise RuleError(f"{path.name}: {error}") from None
    raise RuleError("targets.toml is missing", remedy="reinstall hipport")


@cache
def processors() -> dict[str, Processor]:
    """Name -> facts of every processor known."""
    return {
        name: Processor(
            name,
            row["mach"],
            row.get("family", ""),
            tuple(row.get("covers", ())),
            row.get("version", 0),
        )
        for name, row in table()["processor"].items()
    }


def families() -> dict[str, dict[str, Any]]:
    """Name -> register files, slots and LDS, as the table describes them."""
    found: dict[str, dict[str, Any]] = table()["family"]
    return found


@cache
def _by_mach() -> dict[int, str]:
    return {processor.mach: processor.name for processor in processors().values()}


def processor_of_mach(mach: int) -> str | None:
    """The processor of an EF_AMDGPU_MACH number; None for an unknown one."""
    return _by_mach().get(mach)


def runs_on(code: TargetId, device: TargetId) -> bool:
    """Whether code built for `code` can be loaded on `device`.

    A feature that the code leaves open runs either way; one it fixes must be what the device
    asks for. A device given without a feature may have it on or off, so code that fixes the
    feature is not taken to run on it (LLVM, AMDGPUUsage, "Target ID").
    """
    if code.processor != device.processor:
        generic = processors().get(code.processor)
        if generic is None or device.processor not in generic.covers:
            return False
    return all(
        ours is None or ours == theirs
        for ours, theirs in ((code.xnack, device.xnack), (code.sramecc, device.sramecc))
    )


def rank(code: TargetId, device: TargetId) -> tuple[bool, bool, int] | None:
    """How early the runtime would take this code for the device, smallest first; None if never.

    The processor's own code comes before a generic one's, code that fixes features before code
    that leaves them open, SPIR-V last (ROCm, hipamd/src/hip_fatbin.cpp).
    """
    spirv = code.processor == SPIRV
    if not spirv and not runs_on(code, device):
        return None
    fixed = (code.xnack is not None) + (code.sramecc is not None)
    return spirv, code.processor != device.processor, -fixed


def settings(codes: Iterable[TargetId], device: TargetId) -> list[TargetId]:
    """The device with each feature on and off that it leaves open and that some code for it
    fixes: what one entry leaves out another may hold."""
    near = [code for code in codes if runs_on(TargetId(code.processor), device)]
    choices: dict[str, list[bool | None]] = {}
    for feature in ("xnack", "sramecc"):
        stated = getattr(device, feature)
        fixed = any(getattr(code, feature) is not None for code in near)
        both = stated is None and fixed and feature in features_of(device.processor)
        choices[feature] = [True, False] if both else [stated]
    return [
        TargetId(device.processor, xnack, sramecc)
        for xnack, sramecc in product(choices["xnack"], choices["sramecc"])
    ]


def needed_on(codes: Iterable[TargetId], device: TargetId) -> set[TargetId]:
    """Those of the targets whose code the device may be given: all of its own processor that do
    not contradict it, and a generic one or SPIR-V where these leave a setting out."""
    known = list(codes)
    needed = {
        code
        for code in known
        if code.processor == device.processor
        and all(
            None in (ours, theirs) or ours == theirs
            for ours, theirs in ((code.xnack, device.xnack), (code.sramecc, device.sramecc))
        )
    }
    for setting in settings(known, device):
        ranked = [(place, code) for code in known if (place := rank(code, setting)) is not None]
        if ranked:
            needed.add(min(ranked, key=lambda each: each[0])[1])
    return needed


def features_of(processor: str) -> tuple[str, ...]:
    """The features that a target ID may name for a processor, in the order of a target ID."""
    named = table()["target_id"]
    return tuple(feature for feature in ("sramecc", "xnack") if processor in named[feature])


def near_processors(processor: str) -> list[str]:
    """Processors whose code a device of this processor is commonly made to run."""
    return [other for other, devices in table()["near"].items() if processor in devices]


def gfx_version(processor: str) -> str:
    """The version that HSA_OVERRIDE_GFX_VERSION takes: `10.3.0` for gfx1030. The last two digits
    are hexadecimal (AMDGPUUsage, "Processors")."""
    digits = processor.removeprefix("gfx")
    return f"{digits[:-2]}.{int(digits[-2], 16)}.{int(digits[-1], 16)}"
