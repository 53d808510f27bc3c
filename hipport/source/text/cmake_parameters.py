"""References to parameters in CMake's functions and macros, and what CMake says of options."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span

_PARTS = regex(
    r"^[ \t]*(?:function|macro)\s*\(\s*\w+(?P<parameters>[^()]*)\)"
    r"|^[ \t]*(?P<end>end(?:function|macro))\b"
    r"|\$\{(?P<name>\w+)\}",
    re.MULTILINE | re.IGNORECASE,
)
_HELP = regex(
    r"^[ \t]*(?:(?:cmake_dependent_)?option\s*\(\s*\w+|set\s*\([^()#]*?\bCACHE\s+[A-Z]+)"
    r"\s+(?P<help>\"(?:[^\"\\]|\\.)*\")",
    re.MULTILINE | re.IGNORECASE,
)


def help_spans(text: str) -> Iterator[Span]:
    """The texts that explain options and variables of the cache to people."""
    for each in _HELP.finditer(text):
        yield Span(*each.span("help"))


def parameter_spans(text: str) -> Iterator[Span]:
    """The references to parameters, `${NAME}`, whose values are looked at where they are given."""
    opened: list[list[str]] = []
    known: Counter[str] = Counter()
    for part in _PARTS.finditer(text):
        if part["name"]:
            if known[part["name"]] > 0:
                yield Span(*part.span())
        elif part["end"] is None:
            opened.append(part["parameters"].split())
            known.update(opened[-1])
        elif opened:
            known.subtract(opened.pop())
