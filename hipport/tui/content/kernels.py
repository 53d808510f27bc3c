"""The Kernels tab: every kernel of the selection with what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from hipport.fatbin.binary import Binary
from hipport.tui.kernelrows import UNKNOWN, KernelRow
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope, file_name, middle
from hipport.tui.spans import Span
from hipport.tui.table import Column, Table
from hipport.tui.view_settings import Settings

REGISTERED = {True: Span("yes"), False: Span("no", "warn"), None: Span("?", "dim")}
_FEW_WAVES = 2
_BATCH = 16
_WIDEST_TARGET = 24
_FILE_WIDTH = 16
T = TypeVar("T")


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[Table[KernelRow]]:
    """The table, first with the kernels already known, then as more are read."""
    yield kernel_table(library, library.rows(scope), settings)
    for step, _ in enumerate(library.load(scope, progress)):
        if step % _BATCH == 0:
            yield kernel_table(library, library.rows(scope), settings)
    note = "" if library.is_loaded(scope) else "cancelled: not all bundles were read"
    yield kernel_table(library, library.rows(scope), settings, note)


def kernel_table(
    library: Library, rows: list[KernelRow], settings: Settings, note: str = ""
) -> Table[KernelRow]:
    """The table of these kernels; a filter looks in both forms of the name, in the target, and in
    the places of the sources that define or launch the kernel."""
    readable = library.readable
    known: dict[str, str] = {}
    texts = []
    for row in rows:
        name = known.get(row.name)
        if name is None:
            name = known[row.name] = f"{readable.get(row.name, '')}\n{row.name}".lower()
        places = "\n".join(places_of(library, row)).lower() if library.sources else ""
        texts.append(f"{name}\n{places}\n{row.target}")
    return Table(columns(library, rows, settings), rows, texts, note)


def places_of(library: Library, row: KernelRow) -> Iterator[str]:
    """`src/solver.cu:214` for each place of the sources that defines or launches a kernel."""
    found = library.places(row)
    if found is None:
        return
    if found.definition is not None:
        yield f"{found.definition.path}:{found.definition.start.line}"
    yield from (f"{each.path}:{each.start.line}" for each in found.launches)


def columns(library: Library, rows: list[KernelRow], settings: Settings) -> list[Column[KernelRow]]:
    """The columns; the file is one where there are several."""
    widest = max((len(row.target) for row in rows), default=0)
    target_width = max(8, min(_WIDEST_TARGET, widest))

    def name_of(row: KernelRow) -> Span:
        return Span(settings.short_name(library, row.name))

    def sort_name(row: KernelRow) -> str:
        return settings.sort_name(library, row.name)

    def registered(row: KernelRow) -> Span:
        return REGISTERED[library.is_registered(row.binary, row.name)]

    files: list[Column[KernelRow]] = []
    if len({id(row.binary) for row in rows}) > 1:
        files = [file_column(lambda row: row.binary)]
    return [
        Column("kernel", 20, name_of, sort_name, right=False, largest_first=False),
        *files,
        Column("target", target_width, lambda row: Span(row.target), _target, False, False),
        Column("vgpr", 4, lambda row: _number(row.vgpr), lambda row: row.vgpr),
        Column("agpr", 4, lambda row: _number(row.agpr), lambda row: row.agpr),
        Column("sgpr", 4, lambda row: _number(row.sgpr), lambda row: row.sgpr),
        Column("lds", 6, _sized(settings, lambda row: row.lds), lambda row: row.lds),
        Column(
            "scratch",
            7,
            _sized(settings, lambda row: row.scratch, "warn"),
            lambda row: row.scratch,
        ),
        Column("vspill", 6, lambda row: _number(row.vspill, "bad"), lambda row: row.vspill),
        Column("sspill", 6, lambda row: _number(row.sspill, "bad"), lambda row: row.sspill),
        Column("waves", 5, _waves, lambda row: row.waves),
        Column("code", 6, _sized(settings, lambda row: row.code), lambda row: row.code),
        Column("reg", 3, registered, lambda row: registered(row).text, False, False),
    ]


def file_column(binary_of: Callable[[T], Binary]) -> Column[T]:
    """The file's name, with its middle cut out."""

    def name(item: T) -> str:
        return file_name(binary_of(item).path)

    return Column(
        "file", _FILE_WIDTH, lambda item: Span(middle(name(item), _FILE_WIDTH)), name, False, False
    )


def _target(row: KernelRow) -> str:
    return row.target


def _number(value: int, kind: str = "") -> Span:
    return Span(str(value), kind if value else "dim")


def _sized(
    settings: Settings, value: Callable[[KernelRow], int], kind: str = ""
) -> Callable[[KernelRow], Span]:
    def cell(row: KernelRow) -> Span:
        number = value(row)
        if number == UNKNOWN:
            return Span("?", "dim")
        return Span(settings.short_size(number), kind if number else "dim")

    return cell


def _waves(row: KernelRow) -> Span:
    if row.waves == UNKNOWN:
        return Span("?", "dim")
    return Span(str(row.waves), "warn" if row.waves <= _FEW_WAVES else "")
