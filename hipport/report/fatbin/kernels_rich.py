"""Writes `hipport fatbin kernels` as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hipport.fatbin.questions.kernel_tables import KernelTable
from hipport.report.fatbin.kernels_objects import objects_of
from hipport.report.fatbin.kernels_selection import COLUMNS, WORDS, Selection
from hipport.report.fatbin.rich import write_table
from hipport.report.fatbin.text import safe

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write one table with a row for each kernel and target."""
    objects = objects_of(tables, selection, registered)
    first = 1 if registered is not None else 0
    write_table(
        f"{len(objects)} kernels",
        [*(["reg"] * first), "target", *COLUMNS, "name"],
        (
            [
                *([WORDS[item["registered"]]] if first else []),
                item["target"],
                *("-" if item[c] is None else str(item[c]) for c in COLUMNS),
                safe(item["demangled"] or item["name"]),
            ]
            for item in objects
        ),
        right=range(first + 1, first + 1 + len(COLUMNS)),
    )
