"""An NVIDIA library: its headers where they are included, and its names in use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.source_file import Unit
from hipport.source.text.brackets import is_member, occurrences, skip_back
from hipport.source.text.quick_search import search_of, symbol_span
from hipport.source.text.source_text import Code
from hipport.source.warps.kept_warps import is_for_hip

_HEADER = regex(r'[ \t]*[<"]([^>"\n]+)[>"]')
# `typedef int (CALL *name)(int);`: a type of pointers to functions.
_OPENED_TYPE = regex(r"\btypedef\b[^;{}#()]*\((?:\s*\w+)?\s*\*\s*\Z")
_LONGEST_TYPE = 200
_UNCOUNTED = regex(r"__VA_ARGS__|\.\.\.")


class Keys(RuleKeys, frozen=True):
    itself: Regex = Regex("")
    has_counterparts: bool = False
    is_in_every_line: bool = False
    """Whether a file that uses it does so nearly everywhere: one place in a file is enough."""
    needs_names: bool = False
    """Whether an include alone is nothing to do, as its counterpart takes its place."""
    old_arguments: dict[str, int] = msgspec.field(default_factory=dict)
    """The group `stem` of a name -> how many arguments it takes in these headers alone."""
    is_hip_too: bool = False
    """Whether AMD has a library of the same names: code for HIP that has them means this one."""
    shape: Regex = Regex("")
    """What every name of the library looks like; none of them has a counterpart."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each include of the library, and each of its names that the tree lacks itself."""
    keys = rule.read(Keys)
    if keys.itself and re.search(keys.itself, unit.path):
        return
    if keys.is_hip_too and is_for_hip(unit):
        return
    reported = {each.start.line for each in unit.findings if each.code == rule.id}
    is_once = not unit.rules.is_audit or keys.has_counterparts or keys.is_in_every_line
    if keys.needs_names and next(_names(unit, rule, keys), None) is None:
        return
    included = (each for each in _includes(unit, rule) if counts(unit, rule, each.start))
    spans = list(islice(included, 1 if is_once else None))
    if not (is_once and (spans or reported)):
        spans += (each for each in _names(unit, rule, keys) if counts(unit, rule, each.start))
    for span in sorted(spans)[: 1 if is_once else None]:
        line = unit.code.position(span.start).line
        if line not in reported and not (is_once and reported):
            reported.add(line)
            unit.report(rule.id, span, unit.code.slice(span).strip('<>"'))


def _includes(unit: Unit, rule: FindingRule) -> Iterator[Span]:
    """The headers of the library that are included, with their brackets."""
    for match in _headers(unit.code):
        is_its = _any_of(rule.headers).fullmatch(match[1])
        if is_its and not _is_of_tree(unit, match.start(1), match[1]):
            yield Span(match.start(1) - 1, match.end())


@cache
def _any_of(headers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(headers) or "(?!)")


@lru_cache(maxsize=1)
def _headers(code: Code) -> list[re.Match[str]]:
    """The headers that a text includes, with what closes their brackets."""
    lines = (each for each in code.directives if each.keyword in ("include", "import"))
    return [found for each in lines if (found := _HEADER.match(code.text, each.body.start))]


def _names(unit: Unit, rule: FindingRule, keys: Keys) -> Iterator[Span]:
    """The uses of the library's names, but for those of which another finding speaks."""
    if keys.shape:
        yield from _shaped(unit, keys.shape)
    for pattern in rule.patterns:
        for match in unit.code.finditer(pattern, re.NOFLAG):
            span = symbol_span(match)
            api = unit.rules.api(match[0])
            is_its = not keys.has_counterparts or (api is not None and (api.hip or api.roc))
            if not is_its or unit.declarations.scope(span):
                continue
            if _is_called_so(unit, rule, keys, match):
                yield span


def _is_called_so(unit: Unit, rule: FindingRule, keys: Keys, match: re.Match[str]) -> bool:
    """Whether a function that another header has too is called with this one's arguments.

    A use that is no call, or whose arguments cannot be counted, is what the header included says.
    """
    stem = match.groupdict().get("stem")
    if stem is None:
        return True
    call = parse_call(unit.code, symbol_span(match))
    if call is None or any(_UNCOUNTED.search(unit.code.slice(each)) for each in call.arguments):
        return any(_includes(unit, rule))
    return len(call.arguments) == keys.old_arguments[stem]


def _is_of_tree(unit: Unit, start: int, header: str) -> bool:
    """Whether an include names a file of the tree: in angle brackets, one in the library's folder.

    The audit reads that file itself.
    """
    if unit.code.text[start - 1] == '"' and unit.is_beside(header):
        return True
    return "/" in header and any(map(unit.is_beside, (header, f"include/{header}")))


def _shaped(unit: Unit, shape: str) -> list[Span]:
    """The uses in code of names of the shape that the file does not declare itself."""
    search = search_of(shape, re.ASCII)
    beginnings, text = search.beginnings or ("",), unit.code.code
    uses = [
        [Span(at, at + len(name)) for at in occurrences(text, name)]
        for name in unit.code.words
        if name.startswith(beginnings) and search.expression.fullmatch(name)
    ]
    return [
        span
        for spans in uses
        if not any(_is_declared(unit, span) for span in spans)
        for span in spans
        if not is_member(text, skip_back(text, span.start))
    ]


def _is_declared(unit: Unit, name: Span) -> bool:
    """Whether the file declares something at a name: also a type of pointers to functions."""
    before = unit.code.code[max(0, name.start - _LONGEST_TYPE) : name.start]
    return bool(_OPENED_TYPE.search(before) or unit.declarations.scope(name))
