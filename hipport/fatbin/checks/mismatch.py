"""Places where a binary contradicts itself about a target or a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.host.wrappers import read_wrappers
from hipport.fatbin.object.elf_flags import agrees
from hipport.fatbin.questions.binary_survey import Image, Survey
from hipport.fatbin.target_id import parse_entry_id
from hipport.model import Finding, Severity

ID = "mismatch"
TITLE = "Entry ID, e_flags, metadata and descriptors do not agree"


def find(survey: Survey) -> Iterator[Finding]:
    """Target IDs that differ, descriptors that differ from metadata, wrappers that point at
    other places than the bundles found."""
    path = survey.binary.path
    for image in survey.images:
        offset = image.entry.bundle.place.offset
        for message in (*_targets(image), *image.disagreements):
            yield Finding(
                ID,
                Severity.REVIEW,
                f"bundle {image.entry.bundle.index}, {image.entry.id}: {message}",
                "rebuild the file: the loader may refuse this code object",
                image.entry.id,
                path,
                offset=offset,
            )
    yield from _wrappers(survey)


def _targets(image: Image) -> Iterator[str]:
    entry = image.entry.target
    if entry is not None and not agrees(entry, image.target, image.version):
        yield f"the entry ID says {entry}, e_flags {image.target}"
    if image.metadata_target:
        stated = parse_entry_id(f"hip-{image.metadata_target}").target
        if stated is not None and not agrees(stated, image.target, image.version):
            yield f"the metadata says {stated}, e_flags {image.target}"


def _wrappers(survey: Survey) -> Iterator[Finding]:
    elf = survey.binary.elf
    if elf is None or not elf.segments or not survey.binary.bundles:
        return
    wrappers = read_wrappers(elf, survey.limits)
    known = {bundle.place for bundle in survey.binary.bundles}
    for wrapper in wrappers:
        offset = wrapper.bundle_offset
        if offset is None or survey.binary.source.place(offset) not in known:
            yield Finding(
                ID,
                Severity.REVIEW,
                f"the wrapper at address {wrapper.address:#x} points at no bundle",
                "the runtime would fail to load this code",
                "",
                survey.binary.path,
                offset=offset,
            )
