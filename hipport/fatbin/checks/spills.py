"""Kernels that keep registers in memory."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.questions.binary_survey import COMPARED, Survey
from hipport.model import Finding, Severity

ID = "spills"
TITLE = "Kernels that spill registers"
_VECTOR, _SCALAR = COMPARED.index("vspill"), COMPARED.index("sspill")


def find(survey: Survey) -> Iterator[Finding]:
    """One finding for each kernel and target with spilled registers, and for each image whose
    registers are not known before it is compiled."""
    for entry, names in survey.uncompiled.items():
        if names:
            yield Finding(
                ID,
                Severity.REVIEW,
                f"not checked: {len(names)} kernels of {entry.id} are not compiled yet",
                "check the file that they are linked into",
                "",
                survey.binary.path,
                offset=entry.bundle.place.offset,
            )
    for image in survey.images:
        for name, resources in image.kernels.items():
            vector, scalar = resources[_VECTOR], resources[_SCALAR]
            if vector or scalar:
                yield Finding(
                    ID,
                    Severity.INFO,
                    f"{image.target}: {name} spills {vector} vector and {scalar} scalar registers",
                    "smaller work-groups (__launch_bounds__) leave more registers to each wave",
                    name,
                    survey.binary.path,
                    offset=image.entry.bundle.place.offset,
                )
