"""A page of the reference, and the few words of Markdown and HTML that its makers share."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import NamedTuple


class Page(NamedTuple):
    """One Markdown page; `path` is relative to docs/."""

    title: str
    path: str
    text: str
    is_in_navigation: bool = True


def code(text: str) -> str:
    """Text as inline code that Markdown and HTML leave as it is; "" stays empty."""
    return f"<code>{plain(text)}</code>" if text else ""


def plain(text: str) -> str:
    """Text in which nothing is markup."""
    escaped = html.escape(text)
    for mark in "\\`*_[]|":
        escaped = escaped.replace(mark, f"&#{ord(mark)};")
    return escaped


def prose(text: str) -> str:
    """A sentence of the rules: its `code` is kept, everything else is plain."""
    parts = text.split("`")
    return "".join(code(part) if i % 2 else plain(part) for i, part in enumerate(parts))


def block(text: str, language: str = "") -> str:
    """Text as a fenced block; the fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """An HTML table, which mkdocs builds far faster than one in Markdown. Cells are HTML."""
    head = "".join(f"<th>{cell}</th>" for cell in heading)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
