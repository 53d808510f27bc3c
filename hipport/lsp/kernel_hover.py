"""What the binaries have of the kernel under the cursor, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hipport.errors import printable
from hipport.lazy_regex import regex
from hipport.lsp.checked_text import CheckedText
from hipport.model import Span
from hipport.report.trace.rows import COLUMNS, Row, configuration, rows
from hipport.rulebook.load import load
from hipport.runs.trace_text import TextTraces
from hipport.trace.model import Match, Trace

_WORD = regex(rb"[A-Za-z_]\w*")
_HEAD = ("target", *COLUMNS, "reg", "waves")
_MOST_KERNELS = 4


def kernel_hover(checked: CheckedText, offset: int, traces: TextTraces) -> tuple[Span, str] | None:
    """The kernel at an offset and what a trace knows of it; None for any other name.

    On a launch, it is about the kernels that this launch can run; elsewhere, about all of them.
    """
    data = checked.text.data
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    words = _WORD.finditer(data, start, len(data) if end < 0 else end)
    word = next((each for each in words if each.start() <= offset <= each.end()), None)
    if word is None:
        return None
    name = word[0].decode()
    found = traces.of_kernel(name, checked.name, data, load(is_audit=True))
    if found is None:
        return None
    match = _launch_at(found.trace, checked, word.start())
    lines = _of_launch(found.trace, match) if match else _of_kernel(found.trace, name)
    said = [*map(printable, found.faults), *lines]
    return Span(*word.span()), "\n\n".join(said)


def _launch_at(trace: Trace, checked: CheckedText, offset: int) -> Match | None:
    for match in trace.matches:
        start, end = map(checked.text.offset_of, (match.launch.start, match.launch.end))
        if start <= offset < end:
            return match
    return None


def _of_launch(trace: Trace, match: Match) -> Iterator[str]:
    settings = configuration(match.launch)
    yield f"launch of `{match.launch.kernel}`" + (f"; {settings}" if settings else "")
    yield f"{match.certainty}: {match.reason}" if match.reason else str(match.certainty)
    yield from _kernels(trace, {each: rows(trace, match, each) for each in match.kernels})


def _of_kernel(trace: Trace, name: str) -> Iterator[str]:
    """All kernels of a name, without what a launch of them decides."""
    named = [each for each, origin in trace.origins.items() if origin.name.last == name]
    if not named:
        yield f"no code object has a kernel `{name}`"
    found = {each: (Row(kernel, None) for kernel in trace.kernels.get(each, ())) for each in named}
    yield from _kernels(trace, found)


def _kernels(trace: Trace, found: Mapping[str, Iterable[Row]]) -> Iterator[str]:
    """Each kernel with a line for each target, in columns that any font leaves aligned."""
    for kernel in list(found)[:_MOST_KERNELS]:
        lines = [
            (row.kernel.target, *row.cells(), row.registered, row.waves) for row in found[kernel]
        ]
        table = [_HEAD, *dict.fromkeys(lines)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        texts = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in table)
        block = "\n".join(map(printable, (trace.readable.get(kernel, kernel), *texts)))
        yield f"```text\n{block}\n```"
    if len(found) > _MOST_KERNELS:
        yield f"and {len(found) - _MOST_KERNELS:,} more; `hipport trace` has them all"
