"""The Kernels tab."""

from __future__ import annotations

from hipport.tui.content import kernels
from hipport.tui.widgets.tableview import TableView


class Kernels(TableView):
    TITLE = "Kernels"
    HELP = """\
Every kernel of the selection, once for each target. Registers and scratch (in bytes) are for one
work-item, lds is the static LDS of a work-group; waves is the occupancy in waves per SIMD for the
largest work-group that the kernel allows; code is the size of its instructions; reg says whether
the host code registers the name (? if unknown). s sorts by the next column, S reverses the order;
or click a heading. `/` keeps the rows that have every word typed in the mangled or demangled name
or the target. With --sources, `/solver.cu:214` keeps the kernels that this line defines or
launches."""

    def __init__(self) -> None:
        super().__init__(kernels.prepare, "kernels")
