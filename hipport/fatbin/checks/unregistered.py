"""Kernels that the host code never registers: information, as templates may do that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.fatbin.binary import BundleEntry
from hipport.fatbin.questions.binary_survey import Survey
from hipport.fatbin.questions.unread_registration import not_read
from hipport.model import Finding, Severity

ID = "unregistered"
TITLE = "Kernels that no host code registers"


def find(survey: Survey) -> Iterator[Finding]:
    """One finding for each such kernel name; if registration cannot be read, one that says why."""
    yield from not_read(survey, ID)
    if not survey.registered.readable or not survey.registered.groups:
        return
    registered = survey.registered.names()
    seen: dict[str, int] = {}
    present: list[tuple[BundleEntry, Iterable[str]]] = [
        *((image.entry, image.kernels) for image in survey.images),
        *survey.uncompiled.items(),
    ]
    for entry, names in present:
        if entry.bundle.embedded:  # loaded by the program itself
            continue
        for name in names:
            if name not in registered:
                seen.setdefault(name, entry.bundle.place.offset)
    for name, offset in seen.items():
        yield Finding(
            ID,
            Severity.INFO,
            f"{name} is in the file and never registered",
            "it costs space and cannot be launched by name from the host",
            name,
            survey.binary.path,
            offset=offset,
        )
