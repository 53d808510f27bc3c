"""The formats of a report: one module each, imported when it is asked for."""

from __future__ import annotations

import importlib
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO, cast

from hipport.errors import UsageError, printable

if TYPE_CHECKING:
    from hipport.model import Report
    from hipport.report.context import Context

FORMATS = {
    "text": "hipport.report.text",
    "rich": "hipport.report.rich",
    "json": "hipport.report.json",
    "sarif": "hipport.report.sarif",
    "github": "hipport.report.github",
    "gitlab": "hipport.report.gitlab",
    "junit": "hipport.report.junit",
    "markdown": "hipport.report.markdown",
    "html": "hipport.report.html.page",
}
"""Format -> the module that writes it."""
ENDINGS = {
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".sarif": "sarif",
    ".txt": "text",
    ".xml": "junit",
}
"""Ending of a file -> the format that is written to it if no other was asked for."""


class Writer(Protocol):
    """What each of the modules has."""

    def write(self, report: Report, out: TextIO, context: Context) -> None: ...


def write(report: Report, out: TextIO, format: str, context: Context) -> None:
    """Write the report in one of FORMATS."""
    writer = cast(Writer, importlib.import_module(FORMATS[format]))
    writer.write(report, out, context)


def write_file(report: Report, path: Path, format: str, context: Context) -> None:
    """Write the report to a file, whole or not at all."""
    from hipport.files import replacing

    with replacing(path, 0o644) as file:
        text = TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="\n")
        write(report, text, format, context)
        text.flush()
        text.detach()


def format_of(path: Path, format: str | None) -> str:
    """The format that was asked for, or the file's ending names; raises UsageError for none."""
    found = format or ENDINGS.get(path.suffix.lower())
    if not found:
        raise UsageError(
            f"{printable(str(path))}: no report ends like this",
            remedy=f"end it in {', '.join(ENDINGS)}, or give --format",
        )
    return found
