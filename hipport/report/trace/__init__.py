"""Writes `hipport trace`: its own formats, and those of findings for the rest."""

from __future__ import annotations

import importlib
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Protocol, TextIO, cast

from hipport.files import replacing
from hipport.model import Report
from hipport.report import formats
from hipport.report.context import Context
from hipport.trace.model import Trace

OWN = {
    "text": "hipport.report.trace.text",
    "rich": "hipport.report.trace.rich",
    "json": "hipport.report.trace.json",
    "html": "hipport.report.trace.html",
}
"""Format -> the module that writes it; the other formats show the findings alone."""


class Writer(Protocol):
    """What each of the modules has."""

    def write(self, trace: Trace, report: Report, out: TextIO, context: Context) -> None: ...


def write(
    trace: Trace, report: Report, context: Context, path: Path | None, form: str | None
) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    if path:
        with replacing(path, 0o644) as file:
            text = TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="\n")
            write_to(trace, report, context, text, form or "text")
            text.flush()
            text.detach()
        return
    form = form or ("rich" if sys.stdout.isatty() else "text")
    if form != "rich" and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    write_to(trace, report, context, sys.stdout, form)


def write_to(trace: Trace, report: Report, context: Context, out: TextIO, form: str) -> None:
    """Write in one of the formats."""
    if form in OWN:
        cast(Writer, importlib.import_module(OWN[form])).write(trace, report, out, context)
    else:
        formats.write(report, out, form, context)
