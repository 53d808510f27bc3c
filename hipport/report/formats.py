"""The formats of an audit's report: one module each, imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import Protocol, TextIO, cast

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


class Writer(Protocol):
    """What each of the modules has."""

    def write(self, report: Report, out: TextIO, context: Context) -> None: ...


def write(report: Report, out: TextIO, format: str, context: Context) -> None:
    """Write the report in one of FORMATS."""
    writer = cast(Writer, importlib.import_module(FORMATS[format]))
    writer.write(report, out, context)
