"""The lines above kernels and launches: how often a kernel is launched, and what converts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hipport.lsp.checked_text import SOURCES, CheckedText
from hipport.lsp.partial_conversion import Part, launches, whole
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.report.context import count
from hipport.rulebook.load import load
from hipport.source.flow.device_functions import functions
from hipport.source.languages.cuda_syntax import launch_offsets
from hipport.source.text.brackets import callee_before
from hipport.source.text.source_text import Code


class Lens(NamedTuple):
    """A line above a place; `part` is what it converts, None for one that only says something."""

    span: Span
    title: str
    part: Part | None = None


def lenses(checked: CheckedText) -> Iterator[Lens]:
    """The whole file if it can be converted, then its kernels and launches."""
    if checked.edits:
        part = whole(checked)
        yield Lens(Span(0, 0), part.title, part)
    if checked.kind not in SOURCES:
        return
    code = Code(checked.text.data)
    rules = load()
    starts = [checked.text.offset_of(each.start) for each in checked.findings]
    launched = Counter(_kernel(code, chevron) for chevron in launch_offsets(code))
    for function in functions(code, rules):
        if function.is_kernel:
            inside = sum(function.head.start <= at < function.body.end for at in starts)
            number = launched[function.name]
            words = [f"{number:,} launch{'' if number == 1 else 'es'}"]
            words += [count(inside, "finding")] if inside else []
            yield Lens(function.head, f"kernel {function.name}: {', '.join(words)} in this file")
    for part in launches(checked, code):
        yield Lens(part.span, part.title.replace("`", ""), part)


def _kernel(code: Code, chevron: int) -> str:
    """The name of the kernel that is launched, without namespaces and template arguments."""
    span = callee_before(code.code, chevron)
    return code.slice(span).partition("<")[0].strip().rpartition("::")[2] if span else ""
