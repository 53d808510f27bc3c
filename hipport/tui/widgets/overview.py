"""The Overview tab."""

from __future__ import annotations

from hipport.tui.content import overview
from hipport.tui.widgets.view import TextView


class Overview(TextView):
    TITLE = "Overview"
    HELP = """\
What is selected in the tree, in short. Of a file: its bundles, how much of it is device code, what
the host code registers against what the code objects hold. Of a bundle: compression and entries.
Of a target: the code object and its sections. Of a kernel: its full name, what it needs, waves per
SIMD for the usual sizes of a work-group and what limits them, and the same kernel elsewhere."""

    def __init__(self) -> None:
        super().__init__(overview.prepare, "overview")
