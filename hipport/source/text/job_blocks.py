"""CI jobs in YAML: which are for NVIDIA's GPUs, beside others for AMD's; values nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import JobNames

_KEY = regex(r"^( *)([\w.-]+|\"[^\"\n]*\"|'[^'\n]*'):[ \t]*(?:#[^\n]*)?$", re.MULTILINE)

# What a job runs with each value of, and the names that it reads these by.
_MATRIX = regex(r"^( *)matrix:[ \t]*(?:#[^\n]*)?\n(?:\1 [^\n]*\n|[ \t]*\n)+", re.MULTILINE)
_VALUES = regex(r"^ +(?:- +)?([\w-]+):", re.MULTILINE)
_READ = regex(r"\bmatrix\.([\w-]+)")
# An item of a list, with its lines below.
_ITEM = regex(r"^( *)- [^\n]*\n(?:\1 [^\n]*\n|[ \t]*\n)*", re.MULTILINE)
# What is said of a thing, on the line or in the lines below.
_DESCRIPTION = regex(
    r"^( *)(?:- +)?(?:description|summary):[ \t]*"
    r"(?:[|>][-+\d]*[ \t\r]*\n(?:\1 [^\n]*\n|[ \t\r]*\n)*|[^\n]*)",
    re.MULTILINE,
)
_READ_AS_A_WHOLE = regex(r"\bmatrix\b(?![.:\w-])")


def dead_spans(text: str, names: JobNames) -> list[Span]:
    """The blocks of jobs for NVIDIA's GPUs; none in a file without a job for AMD's.

    A job is a block below `jobs:` (GitHub), or at the beginning of a line (GitLab).
    """
    jobs = list(_jobs(text))
    if not any(re.fullmatch(names.amd, name) for name, _ in jobs):
        return []
    return [
        span
        for name, span in jobs
        if re.fullmatch(names.nvidia, name) and not re.fullmatch(names.amd, name)
    ]


def description_spans(text: str) -> Iterator[Span]:
    """What YAML says of things to people."""
    for each in _DESCRIPTION.finditer(text):
        yield Span(*each.span())


def unread_spans(text: str) -> list[Span]:
    """The values of matrices whose names no step reads: they choose nothing."""
    read = set(_READ.findall(text))
    unread: list[Span] = []
    if not read or _READ_AS_A_WHOLE.search(text):
        return unread
    for matrix in _MATRIX.finditer(text):
        values = list(_VALUES.finditer(text, matrix.start() + len("matrix:"), matrix.end()))
        ends = [*(each.start() for each in values[1:]), matrix.end()]
        named = ((each[1], Span(each.start(), end)) for each, end in zip(values, ends, strict=True))
        unread += [span for name, span in named if name not in read]
    return unread


def steps_with(condition: str, text: str) -> list[Span]:
    """The steps of jobs whose `if` is one that the pattern matches."""
    found = []
    start = 0
    ended = f"{text}\n"
    while item := _ITEM.search(ended, start):
        start = item.end()
        key = rf"^ {{{len(item[1])}}}(?:-| ) if:[ \t]*(.*?)[ \t]*$"
        asked = re.search(key, item[0], re.MULTILINE)
        if asked and re.fullmatch(condition, asked[1]):
            found.append(Span(item.start(), min(item.end(), len(text))))
    return found


def _jobs(text: str) -> Iterator[tuple[str, Span]]:
    keys = [(len(each[1]), each[2].strip("\"'"), each.start()) for each in _KEY.finditer(text)]
    below = next((at for at, key in enumerate(keys) if key[:2] == (0, "jobs")), None)
    depth = 0 if below is None else keys[below + 1][0] if below + 1 < len(keys) else 0
    for at, (indent, name, start) in enumerate(keys):
        is_below = below is None or (at > below and depth > 0)
        if is_below and indent == depth:
            after = (each[2] for each in keys[at + 1 :] if each[0] <= depth)
            yield name, Span(start, next(after, len(text)))
