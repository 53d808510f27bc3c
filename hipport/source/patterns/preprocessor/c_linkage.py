"""CUDA's headers inside `extern "C"`: HIP's, which take their places, have templates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences

_OPENED = regex(r'extern[ \t]+"C"[ \t]*(?:\r?\n[ \t]*)?\{')
_HEADER = regex(r'[ \t]*[<"]([^<>"\n]+)[>"]')
_REACH = 1 << 20


class Keys(RuleKeys, frozen=True):
    plain: Regex
    """HIP's headers that are plain C."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report the first include of such a header in each block, unless one is before all blocks.

    What is included again adds nothing, wherever it is.
    """
    blocks = list(_blocks(unit))
    for name, place in _includes(unit, rule.read(Keys)) if blocks else ():
        around = next((each for each in blocks if each.start < place.start < each.end), None)
        if around is None:
            return
        if counts(unit, rule, place.start):
            unit.report(rule.id, place, name)
            return


def _blocks(unit: Unit) -> Iterator[Span]:
    text = unit.code.text
    for start in occurrences(unit.code.code, "extern"):
        opened = _OPENED.match(text, start)
        if opened:
            end = closing_bracket(unit.code.code, opened.end() - 1, _REACH)
            yield Span(opened.end(), len(text) if end is None else end)


def _includes(unit: Unit, keys: Keys) -> Iterator[tuple[str, Span]]:
    """The names and places of includes that become those of headers for C++."""
    for directive in unit.code.directives:
        found = _HEADER.match(unit.code.text, directive.body.start)
        if found is None or directive.keyword != "include":
            continue
        header = unit.rules.headers.get(found[1])
        if header and header.hip and not re.fullmatch(keys.plain, header.hip):
            yield found[1], Span(found.start(1) - 1, found.end())
