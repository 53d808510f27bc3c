"""The Overview tab."""

from __future__ import annotations

from hipport.tui.content import overview
from hipport.tui.widgets.view import TextView


class Overview(TextView):
    TITLE = "Overview"
    HELP = """\
A summary of what is selected in the tree. A file: its bundles, how much of it is device code, what
the host code registers and what the code objects have. A bundle: compression and entries. A target:
the code object and its sections. A kernel: its full name, what it needs, waves per SIMD for common
work-group sizes and what limits them, and the same kernel elsewhere."""

    def __init__(self) -> None:
        super().__init__(overview.prepare, "overview")
