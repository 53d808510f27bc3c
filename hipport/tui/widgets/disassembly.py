"""The Disassembly tab."""

from __future__ import annotations

from typing import Any

from hipport.tui.content import listing
from hipport.tui.spans import wrapped
from hipport.tui.widgets.view import TextView


class Disassembly(TextView):
    TITLE = "Disassembly"
    SHORT_TITLE = "Code"
    HELP = """\
The instructions of the selected kernel, from llvm-objdump or another disassembler of this machine,
below the number of each class. Marks: ! scratch accesses and spills, ~ waits and barriers, * matrix
instructions. `/` searches. e opens the disassembly in $EDITOR."""

    def __init__(self) -> None:
        super().__init__(listing.prepare, "disassembly")
        self.text = ""
        """The disassembler's output; empty if there is none."""

    def present(self, content: Any) -> None:
        self.text = content.text
        super().present(content.lines)

    def fail(self, message: str) -> None:
        self.present(listing.Listing(wrapped(message, "bad"), ""))
