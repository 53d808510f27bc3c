"""Would it run on this chip? Every bundle must hold code for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.processors import runs_on
from hipport.fatbin.target_id import TargetId

SPIRV = "amdgcnspirv"
# One file of these holds one target by design: what counts is all files of a call together.
_SINGLE = ("code object",)
# Several bundles of these in one file hold one target each.
_JOINED = ("offload binary", "kpack archive")


class Answer(NamedTuple):
    """Whether one group of entries serves one device."""

    device: TargetId
    where: str
    by: BundleEntry | None
    """The entry that would be loaded; None if there is none."""

    @property
    def compiled_at_run_time(self) -> bool:
        return self.by is not None and self.by.parsed.target == TargetId(SPIRV)


def serving(entries: Iterable[BundleEntry], device: TargetId) -> BundleEntry | None:
    """The entry the runtime would take: the processor's own before a generic one, code that
    fixes features before code that leaves them open, SPIR-V last."""
    best: tuple[tuple[bool, bool, int], BundleEntry] | None = None
    for entry in entries:
        target = entry.target
        if target is None or not entry.size:
            continue
        spirv = target.processor == SPIRV
        if not spirv and not runs_on(target, device):
            continue
        fixed = (target.xnack is not None) + (target.sramecc is not None)
        rank = (spirv, target.processor != device.processor, -fixed)
        if best is None or rank < best[0]:
            best = (rank, entry)
    return None if best is None else best[1]


def groups(binaries: Iterable[Binary]) -> Iterator[tuple[str, list[BundleEntry]]]:
    """What has to serve a device on its own: a name for messages, and the entries."""
    single: list[BundleEntry] = []
    for binary in binaries:
        joined: list[BundleEntry] = []
        for bundle in binary.bundles:
            entries = [e for e in bundle.device_entries if e.target and "nvptx" not in e.id]
            if bundle.format in _SINGLE:
                single += entries
            elif bundle.format in _JOINED:
                joined += entries
            elif any(entry.size for entry in entries):
                yield f"{binary.path}: bundle {bundle.index}", entries
        if joined:
            yield f"{binary.path}: {joined[0].bundle.format}", joined
    if single:
        yield "the code objects together", single


def answers(binaries: Iterable[Binary], devices: list[TargetId]) -> Iterator[Answer]:
    """One answer for each group and device."""
    for where, entries in groups(binaries):
        for device in devices:
            yield Answer(device, where, serving(entries, device))
