"""The Matrix tab."""

from __future__ import annotations

from hipport.tui.content import matrix
from hipport.tui.widgets.tableview import TableView


class Matrix(TableView):
    TITLE = "Matrix"
    HELP = """\
Kernels against targets, for the whole file. A cell holds the VGPRs of the kernel for that target,
with an exclamation mark and the number of spilled registers where it spills; a dot means that the
target has no such kernel. reg: whether the host code registers it; on: for how many of the targets
there is code; spills: the most of any target. A row without cells is registered and nowhere there.
Enter opens the kernel for the target whose column it is sorted by, else for the first one."""

    def __init__(self) -> None:
        super().__init__(matrix.prepare, "matrix")
