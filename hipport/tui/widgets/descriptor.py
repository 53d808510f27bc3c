"""The Descriptor tab."""

from __future__ import annotations

from hipport.tui.content import descriptor
from hipport.tui.widgets.view import TextView


class Descriptor(TextView):
    TITLE = "Descriptor"
    HELP = """\
The 64 bytes of the kernel descriptor, from which the hardware and the command processor know how to
start the kernel: every field, every bit that means something on this processor, and in words what
its value means. Below, where it disagrees with the metadata."""

    def __init__(self) -> None:
        super().__init__(descriptor.prepare, "descriptor")
