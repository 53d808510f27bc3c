"""Of which threads one alone reaches a place in a function, by the conditions around it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hipport.source.flow.control import Branch, branches, enclosing
from hipport.source.flow.values import LANE, NOTHING, THREAD, WAVE_LANE, Kinds, Values

_ONE = re.compile(r"==\s*\(?\s*(?:\d+\w*|\w+\s*-\s*1)\b|!\s*\w|\b\d+\s*==")
_OTHERS = re.compile(r"!=\s*\d|>\s*0\b|^\s*[\w.]+\s*$")
_RETURN = re.compile(r"\s*\{?\s*return\b[^;]*;\s*\}?\s*")
_CALLED = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\s*(?:<[\w\s,:*]*>\s*)?\(")
_DEEPEST = 3


def chosen(values: Values, every: list[Branch], around: Iterable[Branch], offset: int) -> Kinds:
    """Of which kinds one reaches an offset: one THREAD of a block, one LANE of each warp."""
    text = values.code.code
    found = NOTHING
    for branch in around:
        if branch.keyword == "if" and offset < branch.body.end:
            for each in text[slice(*branch.condition)].split("&&"):
                found |= _chosen_by(values, each, branch.head)
    for branch in every:
        if branch.end <= offset and branch.keyword == "if":
            condition = text[slice(*branch.condition)]
            leaves = _OTHERS.search(condition) and "&&" not in condition
            if leaves and _RETURN.fullmatch(text, *branch.body):
                found |= values.kinds(condition, branch.head) & {THREAD, LANE, WAVE_LANE}
    return found


def _chosen_by(values: Values, condition: str, offset: int, depth: int = 0) -> Kinds:
    if _ONE.search(condition):
        return values.kinds(condition, offset) & {THREAD, LANE, WAVE_LANE}
    name = condition.strip(" ()\n\t")
    last = values.last(name, offset) if name.isidentifier() and depth < _DEEPEST else None
    if last and last.span.start < last.span.end:
        assigned = values.code.code[slice(*last.span)]
        return _chosen_by(values, assigned, last.offset, depth + 1)
    return NOTHING


def callers(every: list[Values]) -> dict[str, list[Kinds]]:
    """Function -> of which kinds one reaches each of its calls."""
    names = {each.function.name for each in every}
    found: dict[str, list[Kinds]] = {}
    for values in every:
        text, body = values.code.code, values.function.body
        calls = {
            match.start(): match[1]
            for match in _CALLED.finditer(text, *body)
            if match[1] in names and match[1] != values.function.name
        }
        if calls:
            all_of_it = branches(text, body)
            for offset, around in enclosing(all_of_it, calls):
                kinds = chosen(values, all_of_it, around, offset)
                found.setdefault(calls[offset], []).append(kinds)
    return found
