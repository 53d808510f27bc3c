"""Writes `hipport fatbin kernels` as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable
from hipport.report.fatbin.kernel_rows import FIELDS, KernelRows
from hipport.report.fatbin.kernels_selection import COLUMNS, WORDS, Selection
from hipport.report.fatbin.rich import write_table

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered

_SHOWN = tuple(FIELDS.index(RESOURCES[column]) for column in COLUMNS)


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write one table with a row for each kernel and target."""
    rows = KernelRows(tables, selection)
    cells = [
        [
            *([WORDS[registered.of(table.path, name)]] if registered is not None else []),
            table.target,
            *("-" if needs[index] is None else str(needs[index]) for index in _SHOWN),
            rows.readable[name],
        ]
        for table, name, needs in rows.chosen()
    ]
    first = 1 if registered is not None else 0
    write_table(
        f"{len(cells)} kernels",
        [*(["reg"] * first), "target", *COLUMNS, "name"],
        cells,
        right=range(first + 1, first + 1 + len(COLUMNS)),
    )
