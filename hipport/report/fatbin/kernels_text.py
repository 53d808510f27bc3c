"""Writes `hipport fatbin kernels` as text: a line for each kernel and target."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain, islice, repeat
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
_CONTROLS = bytes([*range(32), 127])


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write the kernels that are wanted, and then what is registered and not present."""
    rows = KernelRows(tables, selection)
    _write_lines(rows, registered)
    if registered is not None:
        sys.stdout.writelines(registered.lines())


def _write_lines(rows: KernelRows, registered: Registered | None) -> None:
    several = rows.files > 1
    header = f"{'reg  ' if registered is not None else ''}{'target':<22} {_HEADER}  name\n"
    path, ends, columns = None, list[str](), list[str]()
    for table, names, needs in rows.parts():
        if path is None:
            ends = [f"  {_printable(rows.readable.get(name, ''))}\n" for name in rows.names]
            columns = [_columns(each) for each in rows.needs]
        if table.path != path:
            path = table.path
            sys.stdout.write(f"{safe(path)}:\n{header}" if several else header)
        starts: Iterable[str] = repeat(f"{table.target:<22} ")
        if registered is not None:
            words = (WORDS[registered.of(path, rows.names[name])] for name in names)
            starts = [f"{word:<4} {table.target:<22} " for word in words]
        lines = zip(
            starts, map(columns.__getitem__, needs), map(ends.__getitem__, names), strict=False
        )
        # `starts` is asked first and has no end of its own.
        sys.stdout.write("".join(chain.from_iterable(islice(lines, len(names)))))
    if path is None and rows.files:  # none is wanted
        sys.stdout.write(header)


def _columns(needs: Needs) -> str:
    values = (needs[index] for index in _SHOWN)
    return _FORMAT % tuple("-" if value is None else str(value) for value in values)


def _printable(text: str) -> str:
    clean = text.isascii() and len(text.encode().translate(None, _CONTROLS)) == len(text)
    return text if clean else safe(text)
