"""Options of NVRTC, which stand in string literals, in clang's spelling."""

from __future__ import annotations

from hipport.model import Span
from hipport.source.rewrites import rewrite
from hipport.source.unit import Unit


def rewrite_compile_options(unit: Unit) -> None:
    """Rewrite each literal that is an option and nothing else.

    A file that also calls nvcc may mean that one's options: there they are reported only.
    """
    if "nvcc" in unit.code.text:
        return
    options: dict[str, str] = unit.rules.rewrites["words"]["compile_options"]
    for literal in unit.code.literals:
        span = Span(literal.start + 1, literal.end - 1)
        new = options.get(unit.code.slice(span))
        if new is not None and unit.code.directive_at(span.start) is None:
            rewrite(unit, "compile-option", [(span, new)], [span])
