"""Writes `hipport fatbin kernels` as text: a line for each kernel and target."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable
from hipport.report.fatbin.kernel_rows import FIELDS, KernelRows, Needs
from hipport.report.fatbin.kernels_selection import COLUMNS, WORDS, Selection
from hipport.report.fatbin.text import safe

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered

_WIDTHS = (4, 4, 4, 6, 7, 6, 6, 4, 5)
_FORMAT = " ".join(f"%{width}s" for width in _WIDTHS)
_HEADER = _FORMAT % COLUMNS
_SHOWN = tuple(FIELDS.index(RESOURCES[column]) for column in COLUMNS)
_BATCH = 1024
"""Pieces written at a time: about as much as fits into the processor's caches."""
_CONTROLS = bytes([*range(32), 127])


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write the kernels that are wanted, and then what is registered and not present."""
    rows = KernelRows(selection)
    for table in tables:
        rows.add(table)
    _write_lines(rows, registered)
    if registered is not None:
        sys.stdout.writelines(registered.lines())


def _write_lines(rows: KernelRows, registered: Registered | None) -> None:
    chosen = rows.chosen()
    several = rows.files > 1
    ends: dict[str, str] = {}
    columns: dict[Needs, str] = {}
    before, pieces = None, list[str]()
    header = f"{'reg  ' if registered is not None else ''}{'target':<22} {_HEADER}  name\n"
    for table, name, needs in chosen:
        if table is not before:
            if before is None or table.path != before.path:
                if several:
                    pieces.append(f"{safe(table.path)}:\n")
                pieces.append(header)
            before, target = table, f"{table.target:<22} "
        if name not in ends:
            ends[name] = f"  {_printable(rows.readable[name])}\n"
        if needs not in columns:
            columns[needs] = _FORMAT % tuple(map(_cell, (needs[index] for index in _SHOWN)))
        if registered is not None:
            pieces.append(f"{WORDS[registered.of(table.path, name)]:<4} ")
        pieces += target, columns[needs], ends[name]
        if len(pieces) > _BATCH:
            sys.stdout.write("".join(pieces))
            pieces.clear()
    if before is None and rows.files:  # none is wanted
        pieces.append(header)
    sys.stdout.write("".join(pieces))


def _printable(text: str) -> str:
    clean = text.isascii() and len(text.encode().translate(None, _CONTROLS)) == len(text)
    return text if clean else safe(text)


def _cell(value: object) -> str:
    return "-" if value is None else str(value)
