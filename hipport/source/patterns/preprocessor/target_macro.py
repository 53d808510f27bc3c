"""Macros that choose code for host or device, `NV_IF_TARGET(NV_IS_DEVICE, (a;), (b;));`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.model import parse_version
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.patterns.rewriting import rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip, skip_back
from hipport.source.text.include_directives import includes

_REWRITE = "target-macro"
_TEST = regex(r"\(\s*(\w+)\s*,\s*(?=\()")
_NEXT = regex(r"\s*,\s*(?=\()")
_LAST = regex(r"\s*,?\s*\)(?:[ \t]*;)?")
_BEFORE = frozenset((";", "{", "}", ""))


class FixKeys(RuleKeys, frozen=True):
    macros: tuple[str, ...]
    others: Regex
    header: str
    tests: dict[str, str]
    """What is asked -> the directive that asks it."""


class _Choice(msgspec.Struct, frozen=True):
    """A use of a macro: the directive, its bodies without their parentheses, and its end."""

    start: int
    opening: str
    bodies: list[Span]
    end: int


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write conditionals, and drop the header, if the file has nothing else of it."""
    keys = rule.read(FixKeys)
    rule_of_header = unit.rules.headers[keys.header]
    if unit.is_embedded or parse_version(rule_of_header.hip_added) <= unit.options.rocm:
        return
    if re.search(keys.others, unit.code.code):
        return
    choices = [
        _choice(unit, Span(at, at + len(name)), keys)
        for name in keys.macros
        for at in occurrences(unit.code.code, name)
    ]
    if not choices or not all(choices):
        return
    dropped = [
        _line(unit, directive.span)
        for name, directive in includes(unit.code)
        if name == keys.header
    ]
    edits = [(span, "") for span in dropped]
    for each in choices:
        edits += _edits(unit, each) if each else []
    if rewrite(unit, _REWRITE, edits, []):
        # The include was reported when it was looked at: it was to stay.
        starts = {unit.code.position(span.start).line for span in dropped}
        unit.findings = [each for each in unit.findings if each.start.line not in starts]


def _line(unit: Unit, span: Span) -> Span:
    """The lines of a directive, with what ends them."""
    text = unit.code.text
    end = text.find("\n", span.end)
    return Span(text.rfind("\n", 0, span.start) + 1, end + 1 if end >= 0 else len(text))


def _choice(unit: Unit, macro: Span, keys: FixKeys) -> _Choice | None:
    """What a use of a macro chooses; None where a conditional may not take its place."""
    text = unit.code.code
    test = _TEST.match(text, skip(text, macro.end))
    before = skip_back(text, macro.start)
    if test is None or test[1] not in keys.tests or unit.code.directive_at(macro.start):
        return None
    if text[before - 1 : before] not in _BEFORE:
        return None
    bodies: list[Span] = []
    following: re.Match[str] | None = test
    while following:
        closed = closing_bracket(text, following.end())
        if closed is None or any(unit.code.directives_within(Span(following.end(), closed))):
            return None
        bodies.append(Span(following.end() + 1, closed))
        following = _NEXT.match(text, closed + 1)
    last = _LAST.match(text, bodies[-1].end + 1)
    if last is None or len(bodies) > 2:
        return None
    return _Choice(macro.start, keys.tests[test[1]], bodies, last.end())


def _edits(unit: Unit, choice: _Choice) -> Iterator[tuple[Span, str]]:
    """Directives on lines of their own in place of the macro, commas and parentheses."""
    text, newline = unit.code.code, unit.newline
    line = text.rfind("\n", 0, choice.start) + 1
    indent = text[line : choice.start]
    is_alone = not indent.strip()
    start, before = (line, "") if is_alone else (line + len(indent.rstrip()), newline)
    inner = indent if is_alone else ""
    first = choice.bodies[0]
    yield Span(start, first.start), f"{before}{choice.opening}{newline}{inner}"
    for one, other in pairwise(choice.bodies):
        yield Span(one.end, other.start), f"{newline}#else{newline}{inner}"
    ends_line = text[choice.end : choice.end + 1] in ("\n", "\r", "")
    end = f"{newline}#endif" + ("" if ends_line else newline)
    yield Span(choice.bodies[-1].end, choice.end), end
