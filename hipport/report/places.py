"""Kinds of findings on a terminal, and below each its places, which can be clicked."""

from __future__ import annotations

import os
import socket
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

from hipport.errors import printable
from hipport.model import Finding, Severity
from hipport.report.context import count
from hipport.report.summary import Kind

STYLES = {
    Severity.BLOCKER: "bold red",
    Severity.MANUAL: "yellow",
    Severity.REVIEW: "cyan",
    Severity.INFO: "dim",
}
_KINDS = 8
_PLACES = 3
_INDENT = 9

FileOf = Callable[[str], Path | None]
"""Gives the file at a path of the report."""


def print_kinds(
    kinds: list[Kind], findings: Iterable[Finding], console: Console, file_of: FileOf
) -> None:
    """Print the first kinds: what each is, what to do about it, and where the first of it are."""
    places: dict[tuple[Severity, str], list[Finding]] = defaultdict(list)
    for each in findings:
        found = places[each.severity, each.code]
        found += each.places[: _PLACES - len(found)]
    for kind in kinds[:_KINDS]:
        _print_kind(kind, console)
        for each in places[kind.severity, kind.code]:
            _print_place(each, console, file_of, has_advice=not kind.advice)
        if kind.places > _PLACES:
            more = f"… {kind.places - _PLACES:,} more in {count(kind.files, 'file')}"
            console.print(Text(" " * _INDENT + more, "dim"))
    if len(kinds) > _KINDS:
        console.print(Text(f"… and {count(len(kinds) - _KINDS, 'more kind')}", "dim"))


def _print_kind(kind: Kind, console: Console) -> None:
    title = Text.assemble((printable(kind.code), "bold"), "  ", printable(kind.title))
    if kind.number > 1:
        title.append(f"  {kind.number:,}×", "dim")
    if kind.places > kind.number:
        title.append(f"  {kind.places:,} places", "dim")
    lines = Table.grid(Column(width=_INDENT), Column(overflow="fold"))
    lines.add_row(Text(kind.severity.word, STYLES[kind.severity]), title)
    if kind.advice:
        lines.add_row("", Text(printable(kind.advice), "dim"))
    console.print(lines)


def _print_place(finding: Finding, console: Console, file_of: FileOf, *, has_advice: bool) -> None:
    """`path:line` on a line of its own: a terminal may wrap it, but nothing is cut."""
    place = f"{printable(finding.path)}:{finding.start.line}".removesuffix(":0")
    text = Text(" " * _INDENT)
    console.print(text.append(place, link_to(file_of(finding.path))), soft_wrap=True)
    if has_advice and finding.suggestion:
        lines = Table.grid(Column(width=_INDENT + 2), Column(overflow="fold"))
        lines.add_row("", Text(printable(finding.suggestion), "dim"))
        console.print(lines)


def link_to(path: Path | None) -> Style:
    """The style of a text that opens the file: OSC 8 wants the name of the machine in the URI.

    https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda, "file:// URIs and the
    hostname". It has no line: GLib opens no file URI with a fragment.
    """
    if path is None:
        return Style(underline=True)
    uri = Path(os.path.abspath(path)).as_uri()  # noqa: PTH100  (resolve() would follow links)
    return Style(underline=True, link=uri.replace("file://", f"file://{_machine()}", 1))


@cache
def _machine() -> str:
    return socket.gethostname()
