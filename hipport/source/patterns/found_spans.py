"""Where a pattern finds something in a file of lines, and what of it a rule passes over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.layouts.changes import Changed
from hipport.source.text.quick_search import matches, search_of, symbol_span

_MOST_OF_LINE = 30
_LOOK_BACK = 400
_ITEM = regex(r"[ \t]*-[ \t]")
_STRING_ITEM = regex(r"[ \t]+[\"\x27]")


def spans_of(
    pattern: str, code: str, may_have: Callable[[str, bool], bool] | None, usual: Changed | None
) -> Iterator[Span]:
    """Where a pattern finds something; in a line that was several, behind what it found first too.

    A pattern that begins with its line finds one thing in each.
    """
    seen: set[int] = set()
    for match in matches(pattern, code, may_have=may_have):
        span = symbol_span(match)
        yield span
        start = code.rfind("\n", 0, span.start) + 1
        if usual and start not in seen:
            seen.add(start)
            end = code.find("\n", span.start)
            line = Span(start, end if end >= 0 else len(code))
            if usual.is_joined(line):
                yield from _further(pattern, code, span, line)


def _further(pattern: str, code: str, first: Span, line: Span) -> Iterator[Span]:
    """What a pattern finds in a line when what it found before is another word."""
    text, last = code[slice(*line)], first
    for _ in range(_MOST_OF_LINE):
        start, end = last.start - line.start, min(last.end, line.end) - line.start
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
        match = search_of(pattern).expression.search(text)
        if match is None:
            return
        span = symbol_span(match)
        last = Span(line.start + span.start, line.start + span.end)
        yield last


def is_passed_over(rule: FindingRule, text: str, span: Span) -> bool:
    """Whether what is found at a place, by the line around it, is nothing to the rule."""
    start, end = text.rfind("\n", 0, span.end) + 1, text.find("\n", span.end)
    rest = text[span.end : end if end >= 0 else None].removesuffix("\r")
    line = f"{text[start : span.end]}\n{rest}"
    return search_of(rule.passing).expression.search(line) is not None


def is_listed(keys: str, text: str, span: Span) -> bool:
    """Whether what is found is an item of a list, of YAML or TOML, under one of some keys."""
    before = text[max(0, span.start - _LOOK_BACK) : span.start].split("\n")
    item = next((each for each in (_ITEM, _STRING_ITEM) if each.match(before[-1])), None)
    if item is None:
        return False
    above = (line for line in reversed(before) if line.strip() and not item.match(line))
    key = rf"[ \t]*(?:-[ \t]+)?[\"\x27]?(?:{keys})[\"\x27]?(?::|[ \t]*=[ \t]*\[)"
    return re.match(key, next(above, "")) is not None
