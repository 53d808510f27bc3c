"""Shuffles of vectors by cooperative groups, component by component: HIP's take numbers alone."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.patterns.cooperative_groups.group_shuffle import vector_shuffles
from hipport.source.patterns.make_rewrites import rewrite
from hipport.source.source_file import Unit

_GROUP = re.compile(r"(?<![\w.>:\])])[A-Za-z_]\w*\s*\.\s*\Z")
_PLAIN = re.compile(r"[\w\s.+\-*/]*")


def rewrite_group_shuffles(unit: Unit) -> None:
    """Shuffle each component of a variable; what else is passed is written as often."""
    text = unit.code.code
    for shuffle in vector_shuffles(unit, unit.rules.findings["HP-CG-010"]):
        symbol, call = shuffle.symbol, shuffle.call
        group = _GROUP.search(text, max(0, symbol.start - 80), symbol.start)
        rest = text[call.arguments[0].end : call.closed]
        if group is None or not _PLAIN.fullmatch(rest.removeprefix(",")) or "++" in rest:
            continue
        callee = text[group.start() : symbol.end]
        parts = ", ".join(
            f"{callee}({shuffle.value}.{part}{rest})" for part in "xyzw"[: int(shuffle.type[-1])]
        )
        whole = Span(group.start(), call.closed + 1)
        rewrite(unit, "group-shuffle", [(whole, f"make_{shuffle.type}({parts})")], [symbol])
