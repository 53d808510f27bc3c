"""YAML in blocks, one value a line, without quotation marks that it does not need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change

_QUOTED = r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'"
_KEY = (
    r"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\n]|'')*+'"
    r"|(?![\[\]{}\"'&*!|>%@,?:-])(?:[^\s#:]|(?<=\S)\#|:(?=\S))++"
    r"(?:[ ]++(?:[^\s#:]|(?<=\S)\#|:(?=\S))++)*+"
)
_LINE = regex(
    rf"(?P<blanks>[ ]*+)(?P<dashes>(?:-(?:[ ]++|(?=\r?\n)))*+)"
    rf"(?:(?P<key>{_KEY})"
    r"(?P<colon>[ ]*+:(?:[ ]++|(?=\r?\n|\Z))))?+",
    re.DOTALL,
)
_SCALAR = regex(r"[|>][-+\d]*+[ \t]*+(?:#[^\n]*+)?+\r?\n")
_DASH = regex(r"-(?P<gap>[ \t]*\r?\n[ ]*)(?=[^\s#-])")
_STRING = regex(_QUOTED, re.DOTALL)
# Nothing in it means anything to YAML, so that the marks around it may go.
_SIMPLE = regex(r"[\w./$~^(+=<>;-](?:(?![:#\n]).|:(?=\S)|(?<=\S)#)*+(?<![\s:])", re.DOTALL)
_ESCAPE = regex(r"\\(?P<double>[\"\\/])|(?P<single>\x27)\x27|(?P<end>\\n)|(?P<other>\\)")
_NAME = regex(r"[\w./-]+")
_TOKEN = regex(
    rf"(?P<scalar>{_QUOTED}|[\[{{]\s*+[\]}}]|(?:\{{\{{[^{{}}\n]*+\}}\}}|[^\s,\[\]{{}}:]|(?<![\"']):(?![\s,\[\]{{}}]))++)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:)|(?P<blanks>\s++(?:#[^\n]*+)?+)",
    re.DOTALL,
)
_DEEPEST = 40
_FARTHEST = 100
"""Blanks before a line, beyond which no block is indented."""
_LARGEST = 1 << 18


def yaml_blocks(text: str) -> Iterator[Change]:
    """Write collections in brackets as blocks, folded text as one line, strings without quotes."""
    if len(text) > _LARGEST:
        return
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        if line and line["dashes"].strip() == "-" and (dash := _DASH.match(text, line.end() - 1)):
            yield Change(*dash.span("gap"), " ")
            line = _LINE.match(text, dash.end())
        if line is None:
            at = _after_line(text, at)
            continue
        found, at = _of_line(text, line)
        yield from found


def _after_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end + 1 if end >= 0 else len(text)


def _of_line(text: str, line: re.Match[str]) -> tuple[list[Change], int]:
    """The changes of a line and of the value that begins in it, and where the next line begins."""
    found: list[Change] = []
    indent = line.end("dashes") - (text.rfind("\n", 0, line.end("dashes")) + 1)
    at = line.end()
    rest = at
    if line["key"]:
        found += _bare(text, *line.span("key"), _NAME)
        rest = line.end("key") + line["colon"].index(":") + 1
    first = text[at : at + 1]
    if first and first in "[{" and text[at : at + 2] not in ("{{", "{%"):
        blocks, end = _blocks(text, at, rest, indent, is_value=line["key"] is not None)
        return [*found, *blocks], _after_line(text, end)
    if line["key"]:
        found.append(Change(*line.span("colon"), ": " if first.strip() else ":"))
    if scalar := _SCALAR.match(text, at):
        end = _end_of_block(text, scalar.end(), indent if line["key"] else indent - 1)
        if first == ">":
            found += _folded(text, scalar.end(), end)
        return found, end
    if first and first in "\"'" and (string := _STRING.match(text, at)):
        found += _bare(text, *string.span(), _SIMPLE)
        at = string.end()
    return found, _after_line(text, at)


def _bare(text: str, start: int, end: int, shape: re.Pattern[str]) -> Iterator[Change]:
    """Drop quotation marks around what needs none, and what those in it need because of them."""
    if text[start] not in "\"'" or not shape.fullmatch(text, start + 1, end - 1):
        return
    escapes = list(_ESCAPE.finditer(text, start + 1, end - 1))
    is_double = text[start] == '"'
    escapes = [each for each in escapes if (each["single"] is None) == is_double]
    if any(each["other"] for each in escapes):
        return
    yield Change(start, start + 1, "")
    for each in escapes:
        yield Change(*each.span(), "\n" if each["end"] else each["double"] or each["single"])
    yield Change(end - 1, end, "")


def _end_of_block(text: str, at: int, indent: int) -> int:
    """Where the lines end that are indented more than by `indent`, or empty."""
    while at < len(text):
        end = _after_line(text, at)
        line = text[at:end]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            break
        at = end
    return at


def _folded(text: str, at: int, end: int) -> Iterator[Change]:
    """Join lines of a folded text: one that is as indented as the last one goes on with it."""
    last = -1
    while at < end:
        stop = _after_line(text, at)
        line = text[at:stop]
        depth = len(line) - len(line.lstrip(" ")) if line.strip() else -1
        if depth >= 0 and depth == last:
            yield Change(at - 1, at + depth, " ")
        last, at = depth, stop


def _blocks(
    text: str, at: int, gap: int, indent: int, *, is_value: bool
) -> tuple[list[Change], int]:
    """The changes that make blocks of a collection in brackets, and its end.

    There are none for one that is not closed, or is too deep. Blanks before it begin at `gap`.
    """
    found: list[Change] = []
    stack: list[tuple[bool, int]] = []
    follows_key, column = is_value, min(indent, _FARTHEST)
    before: str | None = ""
    """Whether the next value is that of a key, what to write before it, and where it is."""
    while token := _TOKEN.match(text, at):
        start, at = token.span()
        if not (stack or token["open"]):
            break  # There is nothing in it.
        if token["scalar"]:
            # Words of one scalar keep the blanks between them.
            if before is not None:
                found.append(Change(gap, start, before + (" " if follows_key else "")))
            found += _bare(text, start, at, _SIMPLE) if text[start] in "\"'" else ()
            gap, before, follows_key = at, None, False
        elif token["open"]:
            if len(stack) >= _DEEPEST:
                break
            is_list = token[0] == "["
            if stack:
                column = stack[-1][1] + (2 if follows_key or stack[-1][0] else 0)
            elif follows_key:
                column += 2
            before = (before or "") + (f"\n{' ' * column}" if follows_key else "")
            before += "- " if is_list else ""
            stack.append((is_list, column))
            follows_key = False
        elif token["comma"]:
            is_list, column = stack[-1]
            before, follows_key = f"\n{' ' * column}" + ("- " if is_list else ""), False
        elif token["colon"]:
            before, follows_key = ":", True
        elif token["close"]:
            stack.pop()
            before, follows_key = None, False
            if not stack:
                return [*found, Change(gap, at, "")], at
    return [], at
