"""The Matrix tab."""

from __future__ import annotations

from hipport.tui.content import matrix
from hipport.tui.widgets.tableview import TableView


class Matrix(TableView):
    TITLE = "Matrix"
    HELP = """\
Kernels against targets, for the whole file. A cell holds the kernel's VGPRs for that target, and !
with the number of spilled registers if it spills; a dot means that the target lacks the kernel.
reg: whether the host code registers it; on: how many of the targets have code for it; spills: the
most of any target. A row without cells is a kernel that is registered but has no code. Enter opens
the kernel for the target that the table is sorted by, else for the first one."""

    def __init__(self) -> None:
        super().__init__(matrix.prepare, "matrix")
