"""What is around a place in a source: namespaces, classes, templates, functions, loops."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from hipport.model import Span
from hipport.source.text.brackets import opening_bracket, skip_back, word_before
from hipport.source.text.source_text import Code
from hipport.trace.model import Parameter
from hipport.trace.written_names import split_list, template_end

_TOKEN = re.compile(r"[(){};]")
_NAMESPACE = re.compile(r"\bnamespace\b([^{}]*)\Z")
_CLASS = re.compile(
    r"\b(?:struct|class|union)\b\s*(?:\w+\s*\([^()]*\)\s*)?([A-Za-z_]\w*)?[^=()]*\Z"
)
_QUALIFIED = re.compile(r"([A-Za-z_]\w*(?:\s*::\s*~?[A-Za-z_]\w*)+)\s*\(")
_ARGUMENTS = re.compile(r"<[^<>()]*>")
_TEMPLATE = re.compile(r"\btemplate\s*<")
_LOOP = re.compile(r"\s*(?:for|while|do)\b")
_CONTROL = re.compile(r"\s*(?:if|switch|else|try|catch)\b")
_ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]|\b(?:inline|export)\b")
# `do { … } while (0)` makes one statement of several.
_ONCE = re.compile(r"\s*while\s*\(\s*(?:0|false)\s*\)")
_LOOPS = frozenset(("for", "while"))


class Block(NamedTuple):
    """What a pair of braces encloses: `head` is what stands before them."""

    head: Span
    opened: int
    closed: int
    kind: str
    """`namespace`, `linkage`, `class`, `function`, `loop`, or `other`."""
    name: str
    parent: int
    """The index of the block around it; -1 outside all."""


class Blocks:
    """The blocks of a file, by the order in which they begin."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self._starts = [each.opened for each in blocks]

    def around(self, offset: int) -> Iterator[Block]:
        """The blocks that enclose an offset, innermost first."""
        index = bisect_right(self._starts, offset) - 1
        while index >= 0:
            block = self.blocks[index]
            if offset < block.closed:
                yield block
            index = block.parent

    def scope(self, offset: int) -> tuple[str, ...]:
        """The namespaces and classes around an offset, outermost first."""
        found: list[str] = []
        for block in self.around(offset):
            if block.kind == "namespace":
                found[:0] = block.name.split("::")
            elif block.kind == "class":
                found.insert(0, block.name)
            elif block.kind == "function":
                # `void a::b::f() {` sees what is in `a::b` ([basic.lookup.unqual]).
                found[:0] = block.name.split("::")[:-1]
        return tuple(found)

    def function(self, offset: int) -> Block | None:
        """The outermost function around an offset: what is declared there may be used in it."""
        return next(
            (each for each in reversed(list(self.around(offset))) if each.kind == "function"), None
        )


@lru_cache(maxsize=2)
def blocks_of(code: Code) -> Blocks:
    """The blocks of a file, those in its macros left out.

    The branches of a conditional begin with the same blocks open; behind it those count that the
    first branch left open.
    """
    found: list[Block] = []
    open_blocks: list[int] = []
    starts: list[tuple[int, int]] = [(0, 0)]  # (start of the statement, depth of parentheses)
    saved: list[tuple[list[int], list[tuple[int, int]]]] = []
    after: list[tuple[list[int], list[tuple[int, int]]] | None] = []
    done = 0

    def scan(start: int, end: int) -> None:
        nonlocal open_blocks, starts
        for match in _TOKEN.finditer(code.code, start, end):
            token, at = match[0], match.start()
            begun, depth = starts[-1]
            if token == "(":
                starts[-1] = (begun, depth + 1)
            elif token == ")":
                starts[-1] = (begun, max(0, depth - 1))
            elif token == ";":
                if depth == 0:
                    starts[-1] = (at + 1, 0)
            elif token == "{":
                kind, name = _kind(code, Span(begun, at))
                parent = open_blocks[-1] if open_blocks else -1
                found.append(Block(Span(begun, at), at, len(code.code), kind, name, parent))
                open_blocks.append(len(found) - 1)
                starts.append((at + 1, 0))
            elif open_blocks:
                index = open_blocks.pop()
                found[index] = found[index]._replace(closed=at)
                starts.pop()
                if starts[-1][1] == 0:
                    starts[-1] = (at + 1, 0)

    for directive in code.directives:
        scan(done, directive.span.start)
        done = directive.span.end
        begun, depth = starts[-1]
        if depth == 0 and not code.code[begun : directive.span.start].strip():
            starts[-1] = (done, 0)
        if directive.keyword in ("if", "ifdef", "ifndef"):
            saved.append((list(open_blocks), list(starts)))
            after.append(None)
        elif directive.keyword in ("else", "elif", "elifdef", "elifndef") and saved:
            if after[-1] is None:
                after[-1] = (list(open_blocks), list(starts))
            open_blocks, starts = list(saved[-1][0]), list(saved[-1][1])
        elif directive.keyword == "endif" and saved:
            saved.pop()
            first = after.pop()
            if first is not None:
                open_blocks, starts = first
    scan(done, len(code.code))
    return Blocks(found)


def _kind(code: Code, head: Span) -> tuple[str, str]:
    text = code.code[head.start : head.end]
    if match := _NAMESPACE.search(text):
        return "namespace", "".join(_ATTRIBUTE.sub(" ", match[1]).split())
    stripped = text.strip()
    if stripped.startswith("extern") and stripped.endswith('"') and "(" not in stripped:
        return "linkage", ""
    if _LOOP.match(text):
        return "loop", ""
    if not stripped or _CONTROL.match(text):
        return "other", ""
    if (match := _CLASS.search(text)) and "(" not in text[match.end(1) :]:
        return "class", match[1] or ""
    if ")" not in text:
        return "other", ""
    qualified = _QUALIFIED.search(_ARGUMENTS.sub("", text))
    return "function", "".join(qualified[1].split()) if qualified else ""


def template_parameters(code: Code, head: Span) -> tuple[Parameter, ...] | None:
    """The parameters of the templates that a head begins with; None if it is no template.

    Those of `template <>` are none."""
    found: list[Parameter] = []
    is_template = False
    for match in _TEMPLATE.finditer(code.code, *head):
        end = template_end(code.code, match.end() - 1, head.end)
        if end is not None:
            is_template = True
            found += map(_parameter, split_list(code.code[match.end() : end - 1]))
    return tuple(found) if is_template else None


def _parameter(text: str) -> Parameter:
    declared, equals, default = text.partition("=")
    if equals and declared.count("<") != declared.count(">"):
        declared, default = text, ""
    words = re.findall(r"\w+", declared)
    is_type = bool(words) and (
        words[0] in ("typename", "class") or declared.lstrip().startswith("template")
    )
    return Parameter(
        words[-1] if len(words) > 1 else "", default.strip(), is_type, "..." in declared
    )


def dependent_names(code: Code, offset: int) -> frozenset[str]:
    """The parameters of the templates around an offset."""
    names: set[str] = set()
    for block in blocks_of(code).around(offset):
        if block.kind in ("class", "function"):
            names.update(each.name for each in template_parameters(code, block.head) or ())
    return frozenset(names - {""})


def is_in_loop(code: Code, start: int) -> bool:
    """Whether the statement at an offset is in a loop of its function."""
    for block in blocks_of(code).around(start):
        if block.kind == "loop" and not _ONCE.match(code.code, block.closed + 1):
            return True
        if block.kind == "function" and "[" not in code.code[slice(*block.head)]:
            break
        if block.kind in ("class", "namespace"):
            break
    text = code.code
    while True:
        before = skip_back(text, start)
        if text[before - 1 : before] != ")":
            return text[slice(*word_before(text, before))] == "do"
        opened = opening_bracket(text, before - 1)
        if opened is None:
            return False
        word = word_before(text, opened)
        if text[slice(*word)] in _LOOPS:
            return True
        if text[slice(*word)] != "if":
            return False
        start = word.start
