"""References to parameters in CMake's functions and macros."""

from __future__ import annotations

import re
from itertools import chain

from hipport.lazy_regex import regex
from hipport.model import Span

_DEFINED = regex(
    r"^[ \t]*(function|macro)\s*\(\s*\w+(?P<parameters>[^()]*)\)"
    r"(?P<body>.*?)(?=^[ \t]*end\1\s*\()",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)


def parameter_spans(text: str) -> list[Span]:
    """The references to parameters, `${NAME}`, whose values are looked at where they are given."""
    return sorted(chain.from_iterable(map(_references, _DEFINED.finditer(text))))


def _references(defined: re.Match[str]) -> list[Span]:
    names = "|".join(map(re.escape, defined["parameters"].split()))
    start, end = defined.span("body")
    found = re.compile(rf"\$\{{(?:{names})\}}").finditer(defined.string, start, end)
    return [Span(*each.span()) for each in found] if names else []
