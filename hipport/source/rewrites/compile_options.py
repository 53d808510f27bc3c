"""Options of NVRTC, which stand in string literals, in clang's spelling."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.rewrites import rewrite
from hipport.source.unit import Unit


def rewrite_compile_options(unit: Unit) -> None:
    """Rewrite each literal that is an option and nothing else.

    A file that also calls nvcc may mean that one's options: there they are reported only.
    """
    if "nvcc" in unit.code.text:
        return
    words = unit.rules.rewrites["words"]
    options: dict[str, str] = words["compile_options"]
    target, targets = words["compile_target"], unit.options.targets
    for literal in unit.code.literals:
        span = Span(literal.start + 1, literal.end - 1)
        if unit.code.directive_at(span.start) is not None:
            continue
        if new := options.get(unit.code.slice(span)):
            rewrite(unit, "compile-option", [(span, new)], [span])
        elif re.fullmatch(target["option"], unit.code.slice(span)) and len(targets) == 1:
            new = target["new"].format(target=targets[0])
            rewrite(unit, "compile-target", [(span, new)], [span])
