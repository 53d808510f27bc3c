"""Blocks of configure scripts and makefiles: which are for NVIDIA's GPUs, beside AMD's."""

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


_OF_MAKE = regex(
    r"^[ \t]*(?P<word>ifn?(?:eq|def)|endif|else(?=[ \t]*(?:#|\r?$|ifn?(?:eq|def)\b)))\b"
    r"(?P<asked>[^\n]{0,300})|^(?P<switch>if)[ \t]+(?P<name>!?\w+)[ \t]*\r?$",
    re.MULTILINE,
)
# What Automake makes of a conditional: a mark at the beginning of each of its lines.
_MARKED = regex(r"^@\w+_(?:TRUE|FALSE)@[^\n]*", re.MULTILINE)
_MARK = regex(r"@(\w+)_TRUE@")
_OF_VALUE = regex(
    r"[ \t]*(?:else[ \t]+)?(?:ifdef[ \t]+(?P<defined>\w+)"
    r"|ifeq[ \t]*[(\"'](?:\$[({])?(?P<name>\w+)[)}]?[\"']?[ \t]*,?[ \t]*[\"']?"
    r"(?P<value>[\w.-]+)[\"')]"
    r"|ifneq[ \t]*\(\$[({](?P<set>\w+)[)}],[ \t]*\))[ \t]*(?:#[^\n]*)?"
)
"""A makefile's condition that a variable has a value, or any."""


def dead_spans(text: str, parts: Mapping[str, tuple[str, ...]]) -> list[Span]:
    """The blocks that ask whether CUDA is on, in a script with one that asks the same of HIP.

    `parts` are those of names for NVIDIA, with those for AMD.
    """
    return _beside_ports(list(_blocks(text)), parts)


def dead_in_makefile(text: str, parts: Mapping[str, tuple[str, ...]], elsewhere: str) -> list[Span]:
    """The same in a makefile: behind `ifeq ($(GPU),cuda)` or Automake's `if HAVE_CUDA`.

    Also what is for another system, by what `elsewhere` matches.
    """
    blocks = list(_blocks_of_make(text))
    others = [span for asked, span in blocks if re.fullmatch(elsewhere, asked)]
    return [*_beside_ports(blocks, parts), *others]


def _beside_ports(
    blocks: list[tuple[str, Span]], parts: Mapping[str, tuple[str, ...]]
) -> list[Span]:
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


def _blocks_of_make(text: str) -> Iterator[tuple[str, Span]]:
    """Each condition of a makefile, as `NAME=value`, with the lines that count if it holds."""
    for line in _MARKED.finditer(text):
        yield from ((name, Span(*line.span())) for name in _MARK.findall(line[0]))
    opened: list[tuple[str, int]] = []
    for each in _OF_MAKE.finditer(text):
        word = each["word"] or each["switch"]
        if word in ("else", "endif"):
            if not opened:
                return  # What opened it is written in a way that is not known here.
            before, start = opened.pop()
            yield before, Span(start, each.start())
        if word != "endif":
            opened.append((each["name"] or _value_asked(each[0]), each.end()))


def _value_asked(condition: str) -> str:
    match = _OF_VALUE.fullmatch(condition.rstrip())
    if match is None:
        return ""
    return f"{match['name'] or match['defined'] or match['set']}={match['value'] or ''}"
