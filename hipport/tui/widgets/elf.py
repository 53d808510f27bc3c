"""The ELF tab."""

from __future__ import annotations

from hipport.tui.content import elf
from hipport.tui.widgets.view import TextView


class ElfHeaders(TextView):
    TITLE = "ELF"
    HELP = """\
Header, program headers and sections: of the code object when a target or kernel is selected, else
of the file. Flags of segments are R, W, X; of sections A (loaded), W, X."""

    def __init__(self) -> None:
        super().__init__(elf.prepare, "elf")
