"""The Matrix tab: which kernels exist for which targets, their cost, and their registration."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.fatbin.binary import Binary
from hipport.named_tuples import NamedTuple
from hipport.tui.content.kernels import REGISTERED, file_column
from hipport.tui.kernelrows import KernelRow
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope, entry_name
from hipport.tui.spans import Span
from hipport.tui.table import Column, Table
from hipport.tui.view_settings import Settings

ABSENT = Span("·", "warn")
_TRIPLE = "amdgcn"


class MatrixRow(NamedTuple):
    """One kernel of one file. `cells` maps a target to the kernel there, the largest of several."""

    binary: Binary
    name: str
    cells: dict[str, KernelRow]

    @property
    def spills(self) -> int:
        return max((row.spills for row in self.cells.values()), default=0)


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[Table[MatrixRow]]:
    """The matrix of the file (or of all files), once all its kernels are known."""
    wide = Scope(scope.binary)
    for _ in library.load(wide, progress):
        pass
    rows = matrix(library, wide)
    if scope.kernel is not None:
        rows = [row for row in rows if row.name == scope.kernel.name]
    note = "" if library.is_loaded(wide) else "cancelled: not all bundles were read"
    yield matrix_table(library, rows, settings, note)


class TargetCode(NamedTuple):
    """The code for a target: code objects, and their total bytes."""

    objects: int
    size: int


def targets(library: Library, scope: Scope) -> dict[str, TargetCode]:
    """The targets that have code, in the order of the files."""
    found: dict[str, TargetCode] = {}
    for _, bundle in library.bundles(scope):
        for entry in bundle.entries:
            is_code = entry.target is not None and entry.parsed.triple.startswith(_TRIPLE)
            if entry.size and is_code:
                known = found.get(entry_name(entry), TargetCode(0, 0))
                found[entry_name(entry)] = TargetCode(known.objects + 1, known.size + entry.size)
    return found


def matrix(library: Library, scope: Scope) -> list[MatrixRow]:
    """Every kernel that a code object has or that the host registers, in that order."""
    found: dict[tuple[Binary, str], dict[str, KernelRow]] = {}
    for row in library.rows(scope):
        cells = found.setdefault((row.binary, row.name), {})
        known = cells.get(row.target)
        if known is None or (row.spills, row.vgpr) > (known.spills, known.vgpr):
            cells[row.target] = row
    for binary in dict.fromkeys(binary for binary, _ in library.bundles(scope)):
        registered = library.registrations(binary)
        for name in sorted(registered.names()) if registered is not None else ():
            found.setdefault((binary, name), {})
    return [MatrixRow(binary, name, cells) for (binary, name), cells in found.items()]


def matrix_table(
    library: Library, rows: list[MatrixRow], settings: Settings, note: str = ""
) -> Table[MatrixRow]:
    """A column for each target of the files of these rows."""
    files = dict.fromkeys(row.binary for row in rows)
    built = {binary: targets(library, Scope(binary)) for binary in files}

    def registered(row: MatrixRow) -> Span:
        return REGISTERED[library.is_registered(row.binary, row.name)]

    def count(row: MatrixRow) -> Span:
        total = len(built[row.binary])
        full = len(row.cells) >= total
        return Span(f"{len(row.cells)}/{total}", "" if full else "warn")

    def missing(row: MatrixRow) -> int:
        return len(built[row.binary]) - len(row.cells)

    columns: list[Column[MatrixRow]] = [
        Column(
            "kernel",
            20,
            lambda row: Span(settings.short_name(library, row.name)),
            lambda row: settings.sort_name(library, row.name),
            right=False,
            largest_first=False,
        ),
        Column("reg", 3, registered, lambda row: registered(row).text, False, False),
        Column("on", 5, count, missing),
        Column(
            "spills",
            6,
            lambda row: Span(str(row.spills), "bad" if row.spills else "dim"),
            lambda row: row.spills,
        ),
    ]
    if len(files) > 1:
        columns.insert(1, file_column(lambda row: row.binary))
    all_targets = dict.fromkeys(target for found in built.values() for target in found)
    for target in all_targets:
        columns.append(_target_column(target, {b for b in files if target in built[b]}))
    texts = [f"{library.readable.get(row.name, '')}\n{row.name}".lower() for row in rows]
    return Table(columns, rows, texts, note)


def _target_column(target: str, built: set[Binary]) -> Column[MatrixRow]:
    """`built` are the files that have code for the target; for others the cell stays empty."""

    def cell(row: MatrixRow) -> Span:
        found = row.cells.get(target)
        if found is None:
            return ABSENT if row.binary in built else Span("")
        if found.spills:
            return Span(f"{found.vgpr}!{found.spills}", "bad")
        return Span(str(found.vgpr))

    def key(row: MatrixRow) -> int:
        found = row.cells.get(target)
        return found.vgpr if found is not None else -1

    key_of: Callable[[MatrixRow], int] = key
    return Column(target, max(6, len(target) + 1), cell, key_of)
