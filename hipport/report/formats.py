"""The formats of an audit's report: one module each, imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import TextIO

from hipport.model import Report
from hipport.report.context import Context

FORMATS = ("text", "rich", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
_MODULES = {"rich": "audit_rich"}


def write(report: Report, out: TextIO, format: str, context: Context) -> None:
    """Write the report in one of FORMATS."""
    if format == "json":
        from hipport.report.json import write as write_json

        write_json(report, out, context.lines)
        return
    module = importlib.import_module(f"hipport.report.{_MODULES.get(format, format)}")
    module.write(report, out, context)
