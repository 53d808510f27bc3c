"""Tables for `hipport fatbin` in a terminal. Names come last in a row and are never cut."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from hipport.fatbin.binary import Binary
from hipport.report.fatbin.text import describe, safe

_GAP = "  "


def write_list(binaries: Iterable[Binary]) -> None:
    console = Console(highlight=False)
    for binary in binaries:
        facts = f": {binary.kind}, {binary.size:,} bytes"
        _print(console, Text.assemble((safe(binary.path), "bold"), facts))
        for remark in binary.remarks:
            _print(console, Text(f"note: {safe(remark)}", style="yellow"))
        for bundle in binary.bundles:
            rows = [
                (f"{entry.size:,}", f"{entry.offset:#x}", entry.image_kind, entry.id)
                for entry in bundle.entries
            ]
            title = f"[{bundle.index}] {describe(bundle)}"
            write_table(title, ("bytes", "offset", "kind", "entry"), rows, right=(0, 1))


def write_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Container[int] = (),
) -> None:
    """One table; nothing in it is taken for markup or for a control character.

    The last column gets a line of its own where the table is wider than the terminal.
    """
    console = Console(highlight=False)
    cells = [[safe(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    needed = sum(widths) + len(_GAP) * (len(widths) - 1)
    is_narrow = console.is_terminal and needed > console.width
    if title:
        _print(console, Text(safe(title), style="italic"))
    for number, row in enumerate(cells):
        for line in _lines(row, widths, right, is_narrow=is_narrow):
            _print(console, Text(line, style="" if number else "bold"))


def _lines(
    row: Sequence[str], widths: Sequence[int], right: Container[int], *, is_narrow: bool
) -> Iterator[str]:
    padded = []
    for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
        blanks = " " * (width - cell_len(cell))
        padded.append(blanks + cell if index in right else cell + blanks)
    if is_narrow:
        yield _GAP.join(padded[:-1]).rstrip()
        yield f"    {row[-1]}"
    else:
        yield _GAP.join(padded).rstrip()


def _print(console: Console, text: Text) -> None:
    """A line that the terminal may wrap, but that nothing is put into."""
    console.print(text, soft_wrap=True)
