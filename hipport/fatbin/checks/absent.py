"""Names that the host code registers and no code object holds."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.questions.binary_survey import Survey
from hipport.fatbin.questions.unread_registration import not_read
from hipport.model import Finding, Severity

ID = "absent"
TITLE = "Registered kernels that are in no target"


def find(survey: Survey) -> Iterator[Finding]:
    """One finding for each name, and for what hides names; none in files without device code
    (moved away)."""
    yield from not_read(survey, ID)
    if not survey.images and not survey.uncompiled:
        return
    present = {name for image in survey.images for name in image.kernels}
    present.update(*survey.uncompiled.values())
    for name in sorted(survey.registered.names() - present):
        yield Finding(
            ID,
            Severity.REVIEW,
            f"{name} is registered and in no code object",
            "launching it fails with hipErrorInvalidDeviceFunction",
            name,
            survey.binary.path,
        )
