"""Instructions of Docker in capitals, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change

_WORDS = (
    "add|arg|cmd|copy|entrypoint|env|expose|from|healthcheck|label|maintainer|onbuild|run|shell"
    "|stopsignal|user|volume|workdir"
)
# Definitions of Singularity's have sections, and no instructions.
_SECTIONS = regex(r"^(?i:bootstrap[ \t]*:)|^%\w+", re.MULTILINE)
_INSTRUCTION = regex(rf"[ \t]*(?P<word>{_WORDS})(?P<blanks>[ \t]+)", re.IGNORECASE)
_BRACKETS = regex(
    r"^[ \t]*(?:RUN|CMD|ENTRYPOINT)[ \t]+(?P<list>\[(?:[^\]\n\\]|\\\n|(?<=\")\](?=\"))*+)"
    r"(?P<end>\][ \t]*$)?+",
    re.MULTILINE | re.IGNORECASE,
)
_MARK = regex(r"\[\s*\"|\"[\s\\]*,[\s\\]*\"|\"\s*\]")
_NEXT = regex(r"\"(?:[^\"\\]|\\.)*+\"|'[^']*+'|\\.|(?P<mark>&&|;)(?P<blanks>[ \t]++)(?=[^\s\\])")
_OLD = regex(r"[ \t]*ENV[ \t]+\w+(?P<blanks>[ \t]+)[^\s=]+", re.IGNORECASE)
_HEREDOC = regex(r"<<-?[\"\x27]?(\w+)")


def instructions(text: str) -> Iterator[Change]:
    """Write instructions in capitals, before one blank; continued lines and heredocs have none."""
    if _SECTIONS.search(text):
        return
    at, is_continued, mark, word = 0, False, "", ""
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        if mark:
            mark = "" if bare == mark else mark
        elif bare.startswith("#") or (is_continued and not bare):
            pass  # Neither ends a continued line.
        else:
            found = None if is_continued else _INSTRUCTION.match(line)
            if found:
                start, end = found.span("word")
                yield Change(at + start, at + end, found["word"].upper())
                yield Change(at + end, at + found.end(), " ")
                word = found["word"].lower()
            yield from _apart(line, at, word)
            is_continued = bare.endswith("\\")
            heredoc = None if is_continued else _HEREDOC.search(line)
            mark = heredoc[1] if heredoc else ""
        at += len(line)


def _apart(line: str, at: int, word: str) -> Iterator[Change]:
    """Begin a line at each further command, and write `ENV NAME value` with an equals sign."""
    if word == "run":
        for each in _NEXT.finditer(line):
            if each["mark"]:
                yield Change(at + each.start("blanks"), at + each.end(), "\n    ")
    elif word == "env" and (old := _OLD.fullmatch(line.rstrip())):
        yield Change(at + old.start("blanks"), at + old.end("blanks"), "=")


def commands_in_brackets(text: str) -> Iterator[Change]:
    """`RUN ["pip", "install"]` as `RUN pip install`."""
    for each in _BRACKETS.finditer(text):
        if each["end"] is None:
            continue  # What no bracket closes is passed over once.
        for mark in _MARK.finditer(text, each.start("list"), each.end()):
            yield Change(*mark.span(), " " if "," in mark[0] else "")
