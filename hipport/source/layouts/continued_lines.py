"""Lines that a backslash continues, as one line each."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.source.layouts.changes import Change

LONGEST = 4000
"""Longer lines are not made: people write none, and the time of searches grows with them."""
_END = regex(r"(?<![ \t])[ \t]*+\\\r?\n[ \t]*+")
# Of Docker's: comments and empty lines between continued lines are left out.
_END_IN_DOCKER = regex(r"(?<![ \t])[ \t]*+\\[ \t]*+\r?\n(?:[ \t]*+(?:#[^\n]*+)?+\n)*+[ \t]*+")
_SEPARATORS = ("&&", "||", ";", "|")
_COMMENT = regex(r"[ \t]*#(?!SBATCH|PBS|BSUB)")


def joined_lines(text: str, kind: str) -> Iterator[Change]:
    """Join each continued line with the next one; in a comment, only make continues lines."""
    if "\\\n" not in text and "\\\r\n" not in text and kind != "docker":
        return
    length = done = 0
    for each in (_END_IN_DOCKER if kind == "docker" else _END).finditer(text):
        line = text.rfind("\n", done, each.start()) + 1
        length = each.start() - line if line > done else length + each.start() - done
        done = each.end()
        following = text.find("\n", done)
        rest = (following if following >= 0 else len(text)) - done
        is_comment = line and kind != "make" and _COMMENT.match(text, line) is not None
        is_next = text.startswith(_SEPARATORS, done) or text.endswith(_SEPARATORS, 0, each.start())
        if is_next and kind != "make":
            # Each command has a line of its own.
            yield Change(*each.span(), "\n    ")
            length = 0
        elif length + rest < LONGEST and not is_comment:
            is_word = kind == "shell" and each[0] in ("\\\n", "\\\r\n")
            yield Change(*each.span(), "" if is_word else " ")
        else:
            length = 0
