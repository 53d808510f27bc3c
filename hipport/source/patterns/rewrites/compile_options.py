"""Options of NVRTC, which stand in string literals, in clang's spelling."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.patterns.make_rewrites import rewrite_each
from hipport.source.source_file import Unit


def rewrite_compile_options(unit: Unit) -> None:
    """Rewrite each literal that is an option and nothing else.

    A file that also calls nvcc may mean that one's options: there they are reported only.
    """
    if "nvcc" in unit.code.text:
        return
    words = unit.rules.rewrites["words"]
    options: dict[str, str] = words["compile_options"]
    target, targets = words["compile_target"], unit.options.targets
    plain: list[tuple[Span, str]] = []
    named: list[tuple[Span, str]] = []
    for literal in unit.code.literals:
        span = Span(literal.start + 1, literal.end - 1)
        if unit.code.directive_at(span.start) is not None:
            continue
        if new := options.get(unit.code.slice(span)):
            plain.append((span, new))
        elif len(targets) == 1 and re.fullmatch(target["option"], unit.code.slice(span)):
            named.append((span, target["new"].format(target=targets[0])))
    rewrite_each(unit, "compile-option", plain)
    rewrite_each(unit, "compile-target", named)
