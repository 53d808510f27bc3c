"""Texts of rules and of audited trees as HTML: all of it escaped."""

from __future__ import annotations

from html import escape

from hipport.errors import printable


def plain(text: str) -> str:
    return escape(printable(text))


def words(text: str) -> str:
    """A text of a rule: what stands between backticks there is code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return plain(text)
    return "".join(
        f"<code>{plain(each)}</code>" if index % 2 else plain(each)
        for index, each in enumerate(pieces)
    )
