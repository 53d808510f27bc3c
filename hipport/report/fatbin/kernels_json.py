"""Writes `hipport fatbin kernels` as JSON, kernel by kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import dumps
from typing import TYPE_CHECKING

from hipport.fatbin.questions.kernel_tables import RESOURCES, KernelTable
from hipport.report.fatbin import json
from hipport.report.fatbin.kernel_rows import FIELDS, KernelRows, Needs, Table
from hipport.report.fatbin.kernels_selection import Selection

if TYPE_CHECKING:
    from hipport.report.fatbin.registered import Registered

_COLUMNS = [column for column, key in RESOURCES.items() if key in FIELDS]


def write(
    tables: Iterable[KernelTable], selection: Selection, registered: Registered | None
) -> None:
    """Write one document with the kernels, and what the host code registers if that is wanted."""
    rows = KernelRows(tables, selection)
    parts = [("kernels", _kernels(rows, registered))]
    if registered is not None:
        parts.append(("registration", map(json.element, registered.objects())))
    json.write_parts("kernels", parts)


def _kernels(rows: KernelRows, registered: Registered | None) -> Iterator[str]:
    """The objects as text. What repeats is made into text once."""
    of_needs: dict[Needs, tuple[str, str]] = {}
    of_names: dict[str, tuple[str, str]] = {}
    of_table, table_before = "", None
    for table, name, needs in rows.chosen():
        if needs not in of_needs:
            of_needs[needs] = _needs(needs)
        if name not in of_names:
            of_names[name] = _name(name, rows.readable[name])
        if table is not table_before:
            of_table, table_before = _table(table), table
        register = ""
        if registered is not None:
            register = f'   "registered": {dumps(registered.of(table.path, name))},\n'
        numbers, stack = of_needs[needs]
        own, readable = of_names[name]
        yield f"{{\n{numbers}{own}{of_table}{stack}{register}{readable}  }}"


def _needs(needs: Needs) -> tuple[str, str]:
    numbers = zip(_COLUMNS, needs, strict=False)
    text = "".join(f'   "{column}": {dumps(value)},\n' for column, value in numbers)
    return text, f'   "dynamic_stack": {dumps(needs[-1] is True)},\n'


def _name(name: str, readable: str) -> tuple[str, str]:
    demangled = dumps(readable if readable != name else None)
    return f'   "name": {dumps(name)},\n', f'   "demangled": {demangled}\n'


def _table(table: Table) -> str:
    rows = (
        ("file", table.path),
        ("bundle", table.bundle),
        ("entry", table.entry),
        ("target", table.target),
    )
    return "".join(f'   "{key}": {dumps(value)},\n' for key, value in rows)
