"""Blocks of YAML for NVIDIA's GPUs, beside others for AMD's; values of CI that nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import JobNames
from hipport.source.text.shell_branches import listed_with_amd

_KEY = regex(r"^( *)([\w.-]+|\"[^\"\n]*\"|'[^'\n]*'):[ \t]*(?:#[^\n]*)?$", re.MULTILINE)

# What a job runs with each value of, and the names that it reads these by.
_MATRIX = regex(r"^( *)matrix:[ \t]*(?:#[^\n]*)?\n(?:\1 [^\n]*\n|[ \t]*\n)+", re.MULTILINE)
_VALUES = regex(r"^ +(?:- +)?([\w-]+):", re.MULTILINE)
_READ = regex(r"\bmatrix\.([\w-]+)")
_NAME_OF_STEP = regex(r"^ *(?:- +)?name:[^\n]*", re.MULTILINE)
# An item of a list, with its lines below.
_ITEM = regex(r"^( *)- [^\n]*\n(?:\1 [^\n]*\n|[ \t]*\n)*", re.MULTILINE)
# What is said of a thing, on the line or in the lines below.
_DESCRIPTION = regex(
    r"^( *)(?:- +)?(?:description|summary):[ \t]*"
    r"(?:[|>][-+\d]*[ \t\r]*\n(?:\1 [^\n]*\n|[ \t\r]*\n)*|[^\n]*)",
    re.MULTILINE,
)
# What an item says on its own lines, and asks.
_SCALAR = regex(
    r"(?:^ *-?|[{,]) *[\w-]+: *[\"']?([A-Za-z][\w.+ -]*?)[\"']? *(?=[,}\n#])", re.MULTILINE
)
_IF = regex(r"^ *(?:- )? *if: *([^\n]+)$", re.MULTILINE)
_IS = regex(r"(?P<what>matrix\.[\w.-]+) *== *[\"'](?P<value>[\w.+-]+)[\"']")
_READ_AS_A_WHOLE = regex(r"\bmatrix\b(?![.:\w-])")


def dead_spans(text: str, names: JobNames) -> list[Span]:
    """The blocks that are called after NVIDIA's GPUs, each beside one that is after AMD's.

    A block is a job, a service of a Compose file, what a chart has for a vendor, an item of a
    matrix, or a step that asks for one.
    """
    dead = [
        span
        for blocks in _blocks(text)
        if any(re.fullmatch(names.amd, name) for name, _ in blocks)
        for name, span in blocks
        if re.fullmatch(names.nvidia, name) and not re.fullmatch(names.amd, name)
    ]
    return [*dead, *_items(text, names)]


def _items(text: str, names: JobNames) -> Iterator[Span]:
    """The items of lists that are for NVIDIA's GPUs, beside one for AMD's, or that ask for CUDA.

    What they ask for is of a matrix that has a value for AMD, too.
    """
    items = list(_ITEM.finditer(f"{text}\n"))
    things = listed_with_amd(text, names.amd)
    lists: list[list[re.Match[str]]] = []
    for item in items:
        is_next = lists and lists[-1][-1].end() == item.start() and lists[-1][-1][1] == item[1]
        if is_next:
            lists[-1].append(item)
        else:
            lists.append([item])
    for each in lists:
        values = [[value.strip() for value in _SCALAR.findall(item[0])] for item in each]
        for_amd = [any(re.fullmatch(names.amd, one) for one in several) for several in values]
        for item, several, is_for_amd in zip(each, values, for_amd, strict=True):
            is_beside = any(for_amd) and any(re.fullmatch(names.nvidia, one) for one in several)
            if not is_for_amd and (is_beside or _asks_nvidia(item[0], things, names)):
                yield Span(item.start(), min(item.end(), len(text)))


def _asks_nvidia(item: str, things: set[str], names: JobNames) -> bool:
    asked = _IF.search(item)
    found = _IS.finditer(asked[1]) if asked and "||" not in asked[1] else ()
    return any(
        each["what"] in things and re.fullmatch(names.nvidia, each["value"]) is not None
        for each in found
    )


def description_spans(text: str) -> Iterator[Span]:
    """What YAML says of things to people."""
    for each in _DESCRIPTION.finditer(text):
        yield Span(*each.span())


def _of_matrix(keys: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The keys of a matrix, and those of what it includes; others are of a value's own table."""
    least, is_include = -1, False
    for each in keys:
        depth = len(each[0]) - len(each[0].lstrip(" "))
        least = depth if least < 0 else least
        if depth <= least:
            is_include = each[1] in ("include", "exclude")
        if depth <= least or is_include:
            yield each


def unread_spans(text: str) -> list[Span]:
    """The values of matrices that no step reads, but for what it is called: they choose nothing."""
    unread: list[Span] = []
    if not _READ.search(text) or _READ_AS_A_WHOLE.search(text):
        return unread
    read = set(_READ.findall(_NAME_OF_STEP.sub("", text)))
    for matrix in _MATRIX.finditer(text):
        keys = _VALUES.finditer(text, matrix.start() + len("matrix:"), matrix.end())
        values = list(_of_matrix(keys))
        ends = [*(each.start() for each in values[1:]), matrix.end()]
        named = ((each[1], Span(each.start(), end)) for each, end in zip(values, ends, strict=True))
        unread += [span for name, span in named if name not in read]
    return unread


def steps_with(value: str, text: str, key: str = "if") -> list[Span]:
    """The steps of jobs whose key, such as `if`, has a value that the pattern matches."""
    found = []
    start = 0
    ended = f"{text}\n"
    while item := _ITEM.search(ended, start):
        start = item.end()
        line = rf"^ {{{len(item[1])}}}(?:-| ) {key}:[ \t]*(.*?)[ \t]*$"
        asked = re.search(line, item[0], re.MULTILINE)
        if asked and re.fullmatch(value, asked[1]):
            found.append(Span(item.start(), min(item.end(), len(text))))
    return found


def _blocks(text: str) -> list[list[tuple[str, Span]]]:
    """The keys with lines below them, and these, by the key that they are below."""
    found: list[list[tuple[str, Span]]] = []
    opened: list[tuple[int, list[tuple[str, Span]]]] = []
    for each in _KEY.finditer(text):
        depth = len(each[1])
        while opened and opened[-1][0] > depth:
            found.append(opened.pop()[1])
        if not opened or opened[-1][0] < depth:
            opened.append((depth, []))
        name, span = each[2].strip("\"'"), Span(each.start(), _end(text, each.end(), depth))
        opened[-1][1].append((name, span))
    return [*found, *(keys for _, keys in opened)]


def _end(text: str, start: int, depth: int) -> int:
    """Where the lines below a key end; the items of a list may be as deep as the key."""
    item = rf"|^ {{0,{depth - 1}}}-" if depth else ""
    match = re.compile(rf"^ {{0,{depth}}}[^\s#-]{item}", re.MULTILINE).search(text, start)
    return match.start() if match else len(text)
