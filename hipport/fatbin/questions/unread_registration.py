"""The findings of the checks of registered names where registration could not be read."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.questions.binary_survey import Survey
from hipport.model import Finding, Severity


def not_read(survey: Survey, check: str) -> Iterator[Finding]:
    """One finding of that check for each reason, in files with AMD device code."""
    if not any("amdgcn" in entry.id for entry in survey.looks):
        return
    for reason in survey.registered.unread:
        yield Finding(
            check,
            Severity.REVIEW,
            f"not checked: {reason}",
            "names cannot be compared; check the file by running it",
            "",
            survey.binary.path,
        )
