"""Reductions of cooperative groups, written out with shuffles for releases that lack them."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.rulebook.rules import parse_version
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.patterns.cooperative_groups.group_reduction import reductions
from hipport.source.patterns.make_rewrites import rewrite
from hipport.source.patterns.run_checks import qualified
from hipport.source.source_file import Unit

_NAME = re.compile(r"[A-Za-z_]\w*")


def rewrite_group_reductions(unit: Unit) -> None:
    """Write out each reduction of a variable's group by one of CUDA's own operators."""
    rule = unit.rules.findings["HP-CG-002"]
    words = unit.rules.rewrites["group-reduction"]
    if unit.options.rocm >= parse_version(rule.rocm_until):
        return
    text = unit.code.code
    names = "|".join(words["folds"])
    operator = re.compile(
        rf"(?:\w+::)*(?P<name>{names})\s*<\s*(?P<type>[\w: ]+?)\s*>\s*[({{]\s*[)}}]"
    )
    own = re.compile(rf"\b(?:{'|'.join(words['own'])})\b")
    for use in reductions(unit, rule):
        call = parse_call(unit.code, use.span)
        if call is None or len(call.arguments) != 3:
            continue
        group, value, last = (text[slice(*each)] for each in call.arguments)
        function = operator.fullmatch(last)
        if function is None or not _NAME.fullmatch(group) or own.search(f"{group} {value}"):
            continue
        form = words["tile" if _is_tile(text, group) else "other"]
        filled = form.format(
            group=group, type=function["type"], fold=words["folds"][function["name"]], value="\0"
        )
        opening, closing = filled.split("\0")
        whole = qualified(text, use.span)
        spans = (
            Span(whole.start, call.arguments[1].start),
            Span(call.arguments[1].end, call.closed + 1),
        )
        rewrite(unit, "group-reduction", list(zip(spans, (opening, closing), strict=True)), [whole])


def _is_tile(text: str, group: str) -> bool:
    """Whether a variable is declared as a tile: all threads are there, a power of two of them."""
    made = rf"\b{group}\s*[=(][^;]*\btiled_partition\s*<"
    declared = rf"\w*_tile\s*<[^;<>]*>\s*&?\s*{group}\b"
    return bool(re.search(f"{made}|{declared}", text))
