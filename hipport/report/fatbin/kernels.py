"""Writes `hipport fatbin kernels`: one module per format, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hipport.fatbin.questions.kernel_tables import KernelTable
from hipport.report.fatbin.kernels_selection import Selection

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Found


def write(
    tables: Iterable[KernelTable], form: str, selection: Selection, found: Found | None
) -> None:
    """Write the kernels in the form asked for; `found` adds what is registered."""
    registered = None
    if found is not None:
        from hipport.report.fatbin.registered import Registered

        registered = Registered(found)
        tables = registered.watch(tables)
    if form == "json":
        from hipport.report.fatbin.kernels_json import write as write_json

        write_json(tables, selection, registered)
    elif form == "rich":
        from hipport.report.fatbin.kernels_rich import write as write_rich

        write_rich(tables, selection, registered)
    else:
        from hipport.report.fatbin.kernels_text import write as write_text

        write_text(tables, selection, registered)
