"""A trace as text: for each launch its kernels, with a line for each target; then the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from hipport.errors import logged
from hipport.model import Report
from hipport.report import text
from hipport.report.context import Context, count
from hipport.report.trace.rows import COLUMNS, configuration, place, rows
from hipport.trace.binary_kernels import demangle_whole
from hipport.trace.model import Certainty, Match, Trace

_WIDTHS = (4, 4, 4, 6, 7, 6, 6, 5)
_MOST_KERNELS = 8
_MOST_OTHERS = 10
_INDENT = "    "


def write(trace: Trace, report: Report, out: TextIO, context: Context) -> None:
    """Write launches, kernels from no source, findings, and sums."""
    for match in trace.matches:
        out.writelines(f"{logged(line)}\n" for line in _launch(trace, match))
    out.writelines(f"{logged(line)}\n" for line in others(trace))
    text.write(report, out, context)
    out.write(f"{sums(trace)}\n")


def _launch(trace: Trace, match: Match) -> Iterator[str]:
    launch = match.launch
    doubt = f": {match.reason}" if match.reason else ""
    settings = configuration(launch)
    yield f"{place(launch)}: {launch.kernel}{f'; {settings}' if settings else ''}"
    yield f"  {match.certainty}{doubt}"
    if match.kernels:
        yield f"{_INDENT}{'target':<22} {_cells(COLUMNS)}  reg  waves"
    for kernel in match.kernels[:_MOST_KERNELS]:
        yield f"  {trace.readable.get(kernel, kernel)}"
        for row in rows(trace, match, kernel):
            numbers = f"{row.kernel.target:<22} {_cells(row.cells())}"
            yield f"{_INDENT}{numbers}  {row.registered:<3}  {row.waves}"
    more = len(match.kernels) - _MOST_KERNELS
    if more > 0:
        yield f"  and {count(more, 'more kernel')}"


def _cells(values: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"{value:>{width}}" for value, width in zip(values, _WIDTHS, strict=True))


def others(trace: Trace) -> Iterator[str]:
    """The kernels that come from no source, the first of them by name."""
    if not trace.others:
        return
    yield f"{count(len(trace.others), 'kernel')} from none of these sources:"
    names = list(trace.others)[:_MOST_OTHERS]
    readable = demangle_whole(names)
    for name in names:
        yield f"  {readable.get(name, name)}  {' '.join(trace.others[name])}"
    if len(trace.others) > _MOST_OTHERS:
        yield f"  and {len(trace.others) - _MOST_OTHERS:,} more; --format json has them all"


def sums(trace: Trace) -> str:
    """How many launches there are, and how far their kernels are known."""
    numbers = Counter(match.certainty for match in trace.matches)
    parts = ", ".join(f"{numbers[each]:,} {each}" for each in Certainty)
    kernels = len(trace.kernels) + len(trace.others) - len(trace.kernels.keys() & trace.others)
    launches = f"{len(trace.matches):,} launch{'' if len(trace.matches) == 1 else 'es'}"
    return f"{launches}: {parts}; {count(kernels, 'kernel')}"
