"""Commands of CMake on one line each: names in lower case, one blank between arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change
from hipport.source.layouts.continued_lines import LONGEST

# What is in the usual form already, and comments, are passed over as a whole.
_START = regex(
    r"^[ \t]*+(?:(?!(?:else|end[a-z]++)\([^)])[a-z_0-9]++"
    r"\((?:[^\s()\"#]++(?:[ ](?=[^\s()\"#]))?+)*+\)[ \t]*+$"
    r"|(?P<name>[A-Za-z_]\w*+)(?P<blanks>[ \t]*+)\()"
    r"|#\[(?P<level>=*+)\[|#[^\n]*+",
    re.MULTILINE,
)
_TOKEN = regex(
    r"(?P<blanks>\s++)|#\[(?P<level>=*+)\[|(?P<comment>#[^\n]*+)|(?P<quoted>\"(?:[^\"\\]|\\.)*+\")"
    r"|\[(?P<bracket>=*+)\[|(?P<open>\()|(?P<close>\))|(?P<word>(?:[^\s()#\"\\]|\\.)++)|.",
    re.DOTALL,
)
_SIMPLE = regex(r"\"(?:[\w.+/:-]+)\"")
# What follows is said to people.
_SAID = regex(r"\b(?:DESCRIPTION|COMMENT|DOC|DOCSTRING|BRIEF_DOCS|FULL_DOCS|HOMEPAGE_URL)\Z")
_ENDS = frozenset(
    ("else", "endif", "endforeach", "endwhile", "endfunction", "endmacro", "endblock")
)
_CONDITIONS = frozenset(("if", "elseif", "else", "endif", "while", "endwhile"))


def cmake_commands(text: str) -> Iterator[Change]:
    """Bring each command into the usual form: cmake-language(7) gives layout no meaning."""
    at = 0
    while match := _START.search(text, at):
        at = match.end()
        if match["level"] is not None:
            at = _after(text, at, f"]{match['level']}]")
        elif match["name"]:
            found, at = _of_command(text, match)
            yield from found


def _after(text: str, at: int, closing: str) -> int:
    end = text.find(closing, at)
    return end + len(closing) if end >= 0 else len(text)


def _of_command(text: str, start: re.Match[str]) -> tuple[list[Change], int]:
    """The changes of a command, and where it ends; none for one that is not closed, or is long."""
    name = start["name"].lower()
    changes = [Change(*start.span("name"), name), Change(*start.span("blanks"), "")]
    at, depth, length = start.end(), 1, 0
    gap = at  # Blanks and comments from here on are one blank, or none before a parenthesis.
    has_gap = False
    after_open = True
    while depth:
        token = _TOKEN.match(text, at)
        if token is None:
            return [], len(text)
        begin, at = token.span()
        if token["level"] is not None:
            at = _after(text, at, f"]{token['level']}]")
        if token["level"] is not None or token["blanks"] or token["comment"]:
            has_gap = True
            continue
        if name in _ENDS and (depth > 1 or not token["close"]):
            # Nobody reads what an end repeats of its beginning.
            depth += bool(token["open"]) - bool(token["close"])
            has_gap = True
            continue
        if has_gap:
            new = "" if after_open or token["close"] else " "
            changes.append(Change(gap, begin, new))
        if token["bracket"] is not None:
            at = _after(text, at, f"]{token['bracket']}]")
        elif (
            token["quoted"]
            and _SIMPLE.fullmatch(token[0])
            and not (name in _CONDITIONS or _SAID.search(text, max(0, gap - 80), gap))
        ):
            is_alone = text[begin - 1] in "( \t\n" and text[at : at + 1] in (")", " ", "\t", "\n")
            if is_alone:
                changes += Change(begin, begin + 1, ""), Change(at - 1, at, "")
        depth += bool(token["open"]) - bool(token["close"])
        after_open = bool(token["open"])
        length += at - begin + has_gap
        gap, has_gap = at, False
    return (changes if length < LONGEST else changes[:2]), at
