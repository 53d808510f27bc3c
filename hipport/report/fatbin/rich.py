"""Tables and colours for `hipport fatbin` in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hipport.fatbin.binary import Binary
from hipport.report.fatbin.text import describe, safe


def write_list(binaries: Iterable[Binary]) -> None:
    console = Console()
    for binary in binaries:
        path = Text(safe(binary.path), style="bold")
        console.print(path, Text(f"{binary.kind}, {binary.size} bytes"))
        for remark in binary.remarks:
            console.print(Text(f"note: {safe(remark)}", style="yellow"))
        for bundle in binary.bundles:
            rows = [
                (entry.id, entry.image_kind, f"{entry.size:,}", f"{entry.offset:#x}")
                for entry in bundle.entries
            ]
            title = f"[{bundle.index}] {describe(bundle)}"
            write_table(title, ("entry", "kind", "bytes", "offset"), rows, right=(2, 3))


def write_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[int] = (),
) -> None:
    """One table; nothing in it is taken for markup or steers the terminal."""
    table = Table(title=Text(safe(title)), title_justify="left", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(cell)) for cell in row))
    Console().print(table)
