"""The ELF tab."""

from __future__ import annotations

from hipport.tui.content import elf
from hipport.tui.widgets.view import TextView


class ElfHeaders(TextView):
    TITLE = "ELF"
    HELP = """\
Header, program headers, and sections: those of the code object if a target or kernel is selected,
else those of the file. Segments have the flags R, W, X; sections have A (loaded), W, X."""

    def __init__(self) -> None:
        super().__init__(elf.prepare, "elf")
