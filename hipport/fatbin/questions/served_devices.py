"""Whether a binary would run on a device: every bundle must hold code that the device can load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.processors import (
    gfx_version,
    near_processors,
    processors,
    rank,
    runs_on,
    settings,
)
from hipport.fatbin.questions.binary_survey import Survey
from hipport.fatbin.questions.image_looks import Look
from hipport.fatbin.target_id import SPIRV, TargetId
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple

# Several bundles of these in one file hold one target each.
_JOINED = ("offload binary", "kpack archive", "kernel database", "AOTriton archive")
# A target ID in a file's name: Tensile writes `gfx90a-xnack+` for gfx90a:xnack+.
_IN_NAME = regex(
    r"gfx[0-9][0-9a-f]*(?![0-9a-z])(?:-[0-9]+)*(?:-generic)?(?:[-_:](?:xnack|sramecc)[+-])*"
)
_UNREAD = Look("it cannot be read")


class Candidate(NamedTuple):
    """An entry and what its image is."""

    entry: BundleEntry
    look: Look


class Group(NamedTuple):
    """A group of entries that must serve a device alone."""

    path: str
    part: str
    """Which part of the file; empty for all of it."""
    candidates: list[Candidate]


class Answer(NamedTuple):
    """Whether one group of entries serves one device."""

    device: TargetId
    path: str
    part: str
    by: list[BundleEntry]
    """The entries that would be loaded: several if each fixes a feature, empty if there is
    none."""
    reason: str
    """Why it does not run; empty if it does."""
    hint: str = ""

    @property
    def runs(self) -> bool:
        return not self.reason

    @property
    def where(self) -> str:
        return f"{self.path}: {self.part}" if self.part else self.path

    @property
    def compiled_at_run_time(self) -> bool:
        return any(entry.target == TargetId(SPIRV) for entry in self.by)


def serving(candidates: Iterable[Candidate], device: TargetId) -> BundleEntry | None:
    """The entry the runtime would take."""
    best: tuple[tuple[bool, bool, int], BundleEntry] | None = None
    for entry, look in candidates:
        if entry.target is None or look.problem:
            continue
        place = rank(entry.target, device)
        if place is not None and (best is None or place < best[0]):
            best = (place, entry)
    return None if best is None else best[1]


class Groups:
    """Gathers the groups file by file: `add` each, then read `all`."""

    def __init__(self) -> None:
        self._own: list[Group] = []
        self._by_stem: dict[str, Group] = {}

    def add(self, survey: Survey) -> None:
        """The groups of one binary. A bare file with a single target is one of a group of files
        whose paths differ only in the target, as Tensile and rocBLAS ship them."""
        binary, joined = survey.binary, list[Candidate]()
        for bundle in binary.bundles:
            found = [
                Candidate(entry, survey.looks.get(entry, _UNREAD))
                for entry in bundle.device_entries
                if (entry.target or "amdgcn" in entry.id) and "nvptx" not in entry.id
            ]
            filled = [each for each in found if each.entry.size]
            if bundle.format in _JOINED or (bundle.embedded and bundle.format == "code object"):
                joined += filled
            elif len(found) == len(filled) == 1 and _is_bare(binary):
                self._single(binary.path, filled[0])
            elif filled:
                self._own.append(Group(binary.path, f"bundle {bundle.index}", filled))
        if binary.unopened:
            self._own.append(Group(binary.path, binary.unopened, []))
        if binary.moved:
            self._own.append(Group(binary.path, binary.moved, []))
        if joined:
            self._own.append(Group(binary.path, joined[0].entry.bundle.format, joined))

    def _single(self, path: str, candidate: Candidate) -> None:
        stem = _IN_NAME.sub("*", path)
        self._by_stem.setdefault(stem, Group(stem, "", [])).candidates.append(candidate)
        group = self._by_stem[stem]
        if len(group.candidates) == 1:
            self._by_stem[stem] = group._replace(path=path)
        else:
            self._by_stem[stem] = group._replace(path=stem, part=f"{len(group.candidates)} files")

    @property
    def all(self) -> list[Group]:
        return [*self._own, *self._by_stem.values()]


def _is_bare(binary: Binary) -> bool:
    return binary.elf is None and not binary.kind.startswith(("PE", "COFF"))


def answers(groups: Iterable[Group], devices: list[TargetId]) -> Iterator[Answer]:
    """One answer for each group and device."""
    for group in groups:
        for device in devices:
            yield _answer(group, device)


def _answer(group: Group, device: TargetId) -> Answer:
    by: list[BundleEntry] = []
    missing: list[TargetId] = []
    targets = [entry.target for entry, _ in group.candidates if entry.target]
    for setting in settings(targets, device):
        entry = serving(group.candidates, setting)
        if entry is None:
            missing.append(setting)
        elif entry not in by:
            by.append(entry)
    if not missing:
        return Answer(device, group.path, group.part, by, "")
    what = ", ".join(map(str, missing if by else [device]))
    unusable = [
        f"; the entry {entry.id} is no answer: {look.problem}"
        for entry, look in group.candidates
        if look.problem and entry.target is not None and _may_mean(entry.target, device)
    ]
    reason = f"no code for {what}{''.join(unusable)}"
    return Answer(device, group.path, group.part, [], reason, _hint(group.candidates, device))


def _may_mean(target: TargetId, device: TargetId) -> bool:
    return runs_on(TargetId(target.processor), device) or target.processor == SPIRV


def _hint(candidates: list[Candidate], device: TargetId) -> str:
    """How to run the code of a related processor; empty if there is no such code."""
    for near in near_processors(device.processor):
        if near in processors() and serving(candidates, TargetId(near)) is not None:
            return (
                f"with HSA_OVERRIDE_GFX_VERSION={gfx_version(near)} {device.processor} takes the "
                f"code for {near}, which AMD does not support"
            )
    return ""
