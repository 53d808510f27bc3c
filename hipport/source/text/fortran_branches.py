"""Which parts of Fortran code no build for AMD sees, by conditions of the preprocessor."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.branch_texts import BRANCHES
from hipport.source.text.conditions import as_expression, decided
from hipport.source.text.ported_names import ported_names

_DIRECTIVE = regex(r"^[ \t]*#[ \t]*(\w+)([^\r\n]*)", re.MULTILINE)

_NAME = regex(r"\b[A-Za-z_]\w*")


class _Branch(NamedTuple):
    start: int
    is_dead: bool
    is_settled: bool
    """Whether this branch or one before it is what compilers see, so that none behind it is."""


def dead_spans(
    text: str, undefined: Collection[str], amd: str, parts: Mapping[str, tuple[str, ...]]
) -> list[Span]:
    """The branches, with their conditions, that no build for AMD sees.

    It has none of the macros `undefined`, those that `amd` matches, and none that the text asks for
    beside such a one: `USE_CUDA` beside `USE_HIP`. `parts` are those of names for NVIDIA.
    """
    asked = {name for each in _DIRECTIVE.finditer(text) for name in _NAME.findall(each[2])}
    values = {name: 1 for name in asked if re.fullmatch(amd, name)}
    others = {name for name in asked if not values.keys().isdisjoint(ported_names(name, parts))}
    unset = {*undefined, *others}
    found: list[Span] = []
    opened: list[_Branch] = []
    for each in _DIRECTIVE.finditer(text):
        keyword, condition = each.groups()
        is_first = keyword in ("if", "ifdef", "ifndef")
        if not is_first and (keyword not in BRANCHES or not opened):
            continue
        before = None if is_first else opened.pop()
        if before and before.is_dead:
            found.append(Span(before.start, each.start()))
        if keyword != "endif":
            is_settled = before is not None and before.is_settled
            expression = "1" if keyword == "else" else as_expression(keyword, condition)
            holds = decided(expression, unset, values)
            opened.append(
                _Branch(each.start(), is_settled or holds is False, is_settled or holds is True)
            )
    return sorted(found)
