"""Fragments of matrices, by the blocks that they are made for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.constants import number
from hipport.source.source_file import Unit
from hipport.source.text.brackets import occurrences, skip

_ARGUMENTS = regex(r"<\s*(?:\w+\s*::\s*)*(?P<part>\w+)\s*,(?P<m>[^,;{}]+),(?P<n>[^,;{}]+),")
_REACH = 300
"""Characters from the template's name to the type of its elements."""


class Keys(RuleKeys, frozen=True):
    template: str
    parts: tuple[str, ...]
    """What the template's first argument is, without its namespace."""
    sides: tuple[int, ...]
    """The sides of the square blocks that there are."""
    other_types: Regex
    """Types that another finding is about."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each fragment whose rows and columns are known, and make no such block."""
    keys = rule.read(Keys)
    for span, match in _fragments(unit, keys):
        rows, columns = (number(unit.code, unit.rules, match[each]) for each in ("m", "n"))
        if rows is None or columns is None or (rows == columns and rows in keys.sides):
            continue
        if counts(unit, rule, span.start):
            unit.report(rule.id, span, unit.code.slice(span), {"m": str(rows), "n": str(columns)})


def _fragments(unit: Unit, keys: Keys) -> Iterator[tuple[Span, re.Match[str]]]:
    """The place of each one's name, and its arguments as far as its columns."""
    text = unit.code.code
    for at in occurrences(text, keys.template):
        end = at + len(keys.template)
        match = _ARGUMENTS.match(text, skip(text, end), end + _REACH)
        if match is None or match["part"] not in keys.parts:
            continue
        rest = text[match.end() : text.find(";", match.end(), match.end() + _REACH)]
        if not re.search(keys.other_types, rest):
            yield Span(at, end), match
