"""Blocks of a configure script: which are for NVIDIA's GPUs, beside others for AMD's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.ported_names import ported_names

_CONDITION = regex(
    r"^[ \t]*(?P<word>if|elif|else|fi|AS_IF\()(?!\w)(?P<asked>[^\n]{0,300}(?=\n)|)", re.MULTILINE
)
_IS_SET = regex(
    r"[^&|!\n]*\$\{?(?P<name>\w+)\}?\"?[ \t]*==?[ \t]*[\"x]*(?:yes|true|on|1)\b[^&|\n]*"
)
"""A variable compared with what switches it on, and nothing else: `test "x$with_hip" = "xyes"`."""


def dead_spans(text: str, parts: Mapping[str, tuple[str, ...]]) -> list[Span]:
    """The blocks that ask whether CUDA is on, in a script with one that asks the same of HIP.

    `parts` are those of names for NVIDIA, with those for AMD.
    """
    blocks = list(_blocks(text))
    asked = {name for name, _ in blocks}
    return [
        span for name, span in blocks if any(port in asked for port in ported_names(name, parts))
    ]


def _blocks(text: str) -> Iterator[tuple[str, Span]]:
    """Each variable that a condition asks for, with the lines that run if it is on."""
    opened: list[tuple[str, int]] = []
    for each in _CONDITION.finditer(text):
        match = _IS_SET.fullmatch(each["asked"])
        name = match["name"] if match else ""
        if each["word"] == "AS_IF(":
            # What follows is an argument of a macro, whose end is not looked for.
            yield name, Span(each.end(), each.end())
            continue
        if each["word"] != "if" and opened:
            before, start = opened.pop()
            yield before, Span(start, each.start())
        if each["word"] != "fi":
            opened.append((name, each.start()))
