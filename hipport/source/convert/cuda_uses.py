"""Reports uses of CUDA's API that a conversion would rewrite, in trees that are ported already."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Edit, Span
from hipport.source.flow.device_code import is_ported
from hipport.source.source_file import Unit

CODE = "HP-PORT-001"
"""The finding that is reported only on request (Options.reports_cuda)."""
_DIRECTIVE = regex(r"[ \t]*(#[ \t]*\w+[ \t]*(?:<[^>\n]*>|\"[^\"\n]*\")|[^\n]*[^\s])")
# The runtime header, which nvcc includes anyway, is no use of CUDA.
_IMPLICIT = "header:implicit"


def report_cuda_uses(unit: Unit) -> None:
    """Report each name and include of CUDA's, except in branches that are for CUDA.

    Kernel launches are no use of CUDA: HIP has the same syntax.
    """
    seen: set[Span] = set()
    for edit in sorted(unit.edits, key=lambda each: each.span):
        span = _whole(unit, edit)
        if span and span not in seen and not is_ported(unit, span.start):
            seen.add(span)
            words = {"new": _instead(edit)}
            unit.report(CODE, span, unit.code.slice(span), words)


def _whole(unit: Unit, edit: Edit) -> Span | None:
    """The name or include line that an edit is about; None if that is nothing of CUDA."""
    kind, _, name = edit.rule.partition(":")
    text = unit.code.text
    if kind == "header" and edit.rule != _IMPLICIT:
        match = _DIRECTIVE.match(text, text.rfind("\n", 0, edit.span.start) + 1)
        return Span(*match.span(1)) if match else None
    if kind == "api" and text[edit.span.start : edit.span.end].startswith(name):
        return Span(edit.span.start, edit.span.start + len(name))
    return None


def _instead(edit: Edit) -> str:
    new = edit.new.decode("latin-1").strip()
    return f"; HIP has {new}" if new else ""
