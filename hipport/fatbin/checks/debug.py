"""Debug sections left in code objects."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.format_error import FormatError
from hipport.fatbin.questions.binary_survey import Survey
from hipport.fatbin.questions.kernel_tables import code_objects
from hipport.model import Finding, Severity

ID = "debug"
TITLE = "Code objects that still hold debug sections"


def find(survey: Survey) -> Iterator[Finding]:
    """One finding for each code object with debug sections, with their size."""
    for entry, code_object in code_objects(survey.binary, survey.limits):
        try:
            sections = [s for s in code_object.elf.sections if s.name.startswith(".debug_")]
        except FormatError:
            continue
        if sections:
            size = sum(section.size for section in sections)
            yield Finding(
                ID,
                Severity.INFO,
                f"bundle {entry.bundle.index}, {entry.id}: {size} bytes of debug sections",
                "strip the code object, or build without -g",
                entry.id,
                survey.binary.path,
                offset=entry.bundle.place.offset,
            )
