"""The Kernels tab."""

from __future__ import annotations

from hipport.tui.content import kernels
from hipport.tui.widgets.tableview import TableView


class Kernels(TableView):
    TITLE = "Kernels"
    HELP = """\
Every kernel of the selection, once for each target. Registers are those of a work-item, LDS is
that of a work-group and static, scratch is that of a work-item, in bytes; waves is the occupancy
in waves per SIMD for the largest work-group the kernel allows; code is the size of its
instructions; reg says whether the host code registers the name (? where that is unknown).
s sorts by the next column, S turns the order round, a click on a heading sorts by it.
`/` leaves the rows that hold every word typed, in the mangled or demangled name or the target.
With --sources, `/solver.cu:214` leaves the kernels that this line defines or launches."""

    def __init__(self) -> None:
        super().__init__(kernels.prepare, "kernels")
