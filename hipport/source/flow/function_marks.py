"""What marks functions as running on the device: keywords, and macros that stand for them."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.text.source_text import Code

_DEFINED = regex(r"\s*(?P<name>\w+)\s+(?P<text>[\w\s():,\"<>*&]*)")
_WORD = regex(r"[A-Za-z_]\w*")
_CALLED = regex(r"([A-Za-z_]\w*)\s*\(")
_DEEPEST = 4
"""How many macros stand for one another."""


class Mark(NamedTuple):
    span: Span
    keywords: frozenset[str]
    """Those of the device and of the host that it is, or stands for."""


class _Macros(msgspec.Struct, frozen=True):
    keywords: dict[str, frozenset[str]]
    defined: frozenset[int]
    """Where the lines begin that define them."""


@lru_cache(maxsize=2)
def marks(code: Code, rules: RuleSet) -> list[Mark]:
    """The places that mark a function, in order: not where a macro for it is defined."""
    words = rules.device_code.function_keywords
    if not code.has(words):
        return []
    macros = _macros(code, rules)
    shape = "|".join((*map(re.escape, words), *(rf"\b{name}\b" for name in macros.keywords)))
    found = []
    for match in re.finditer(shape, code.code):
        if macros.defined:
            directive = code.directive_at(match.start())
            is_asked = directive is not None and directive.keyword != "define"
            if directive is not None and (is_asked or directive.span.start in macros.defined):
                continue
        keywords = macros.keywords.get(match[0], frozenset((match[0],)))
        found.append(Mark(Span(*match.span()), keywords))
    return found


def _macros(code: Code, rules: RuleSet) -> _Macros:
    """The macros without parameters of a file that consist of such keywords, and of attributes."""
    words = rules.device_code
    of_device = frozenset(words.function_keywords)
    sought = of_device | {words.host_keyword}
    keywords: dict[str, frozenset[str]] = {}
    defined: set[int] = set()
    lines = [each for each in code.directives if each.keyword == "define"]
    for _ in range(_DEEPEST):
        before = len(defined)
        for line in lines:
            match = _DEFINED.fullmatch(code.code, *line.body)
            if match is None or line.span.start in defined:
                continue
            inside = set(_WORD.findall(match["text"]))
            given = inside & sought | {
                keyword for name in inside & keywords.keys() for keyword in keywords[name]
            }
            if given & of_device and rules.lanes.attributes.issuperset(
                _CALLED.findall(match["text"])
            ):
                defined.add(line.span.start)
                keywords[match["name"]] = keywords.get(match["name"], frozenset()) | given
        if len(defined) == before:
            break
    return _Macros(keywords, frozenset(defined))
