"""A trace as a page: a matrix of kernels by targets, then the findings."""

from __future__ import annotations

from typing import TextIO

from hipport.model import Report
from hipport.named_tuples import NamedTuple
from hipport.report.context import Context
from hipport.report.html.page import write_page
from hipport.report.trace.rows import Row, place, rows
from hipport.trace.model import Match, Trace

_MOST_ROWS = 2000


class Cell(NamedTuple):
    """What a kernel is on one target."""

    text: str
    is_bad: bool


class MatrixRow(NamedTuple):
    """A kernel of a launch."""

    place: str
    kernel: str
    cells: list[Cell]


class Matrix(NamedTuple):
    """The kernels of all launches, by the targets that some code is for."""

    targets: list[str]
    rows: list[MatrixRow]
    left_out: int


def write(trace: Trace, report: Report, out: TextIO, context: Context) -> None:
    """Write the page; of very many kernels the first, and it says so."""
    write_page(report, out, context, matrix(trace))


def matrix(trace: Trace) -> Matrix:
    """The kernels of launches, those first that are launched first."""
    targets = sorted({each.target for kernels in trace.kernels.values() for each in kernels})
    pairs = [(match, kernel) for match in trace.matches for kernel in match.kernels]
    shown = [_row(trace, *pair, targets) for pair in pairs[:_MOST_ROWS]]
    return Matrix(targets, shown, len(pairs) - len(shown))


def _row(trace: Trace, match: Match, kernel: str, targets: list[str]) -> MatrixRow:
    by_target: dict[str, Row] = {}
    for row in rows(trace, match, kernel):
        by_target.setdefault(row.kernel.target, row)
    cells = [_cell(by_target.get(target)) for target in targets]
    return MatrixRow(place(match.launch), trace.readable.get(kernel, kernel), cells)


def _cell(row: Row | None) -> Cell:
    if row is None:
        return Cell("-", True)
    resources = row.kernel.resources
    if resources["vgpr"] is None:
        return Cell("not compiled yet", False)
    spilled = resources["vspill"] or 0
    spills = f", {spilled} spilled" if spilled else ""
    waves, _, limit = row.waves.partition(" ")
    waves = "" if row.fit is None else f", {waves} waves" + (f" ({limit})" if limit else "")
    return Cell(f"{resources['vgpr']} VGPRs{spills}{waves}", spilled > 0)
