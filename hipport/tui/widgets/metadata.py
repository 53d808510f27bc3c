"""The Metadata tab."""

from __future__ import annotations

from hipport.tui.content import metadata
from hipport.tui.widgets.view import TextView


class Metadata(TextView):
    TITLE = "Metadata"
    SHORT_TITLE = "Meta"
    HELP = """\
The metadata note with its original keys (LLVM, AMDGPUUsage, "Code Object Metadata"): for a target,
the notes and keys of the code object; for a kernel, its keys and arguments, hidden ones dimmed."""

    def __init__(self) -> None:
        super().__init__(metadata.prepare, "metadata")
