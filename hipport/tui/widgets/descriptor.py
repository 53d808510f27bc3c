"""The Descriptor tab."""

from __future__ import annotations

from hipport.tui.content import descriptor
from hipport.tui.widgets.view import TextView


class Descriptor(TextView):
    TITLE = "Descriptor"
    HELP = """\
The 64 bytes of the kernel descriptor, which tell the hardware and the command processor how to
start the kernel: every field, every bit that has a meaning on this processor, and its value in
words; then any disagreement with the metadata."""

    def __init__(self) -> None:
        super().__init__(descriptor.prepare, "descriptor")
