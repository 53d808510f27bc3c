"""The report as one HTML page that needs no network and no other file.

The template escapes every text of the audited tree; besides, the page's Content-Security-Policy
lets no script run but its own, which it names by hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hipport import __version__
from hipport.errors import printable
from hipport.model import Report, Severity
from hipport.report.context import Context, count, place_of, worst_first
from hipport.report.effort import duration, effort_of, in_words, weights
from hipport.report.html.findings import cards, codes
from hipport.report.html.overview import Overview
from hipport.report.summary import unread_counts

_FOLDER = Path(__file__).parent
_MOST_FINDINGS = 5000
_MOST_PLACES = 200


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the page; of very many findings it shows the worst, and says so."""
    write_page(report, out, context)


def write_page(report: Report, out: TextIO, context: Context, matrix: object = None) -> None:
    """The same with a matrix of kernels before the findings, where there is one."""
    shown = list(islice(worst_first(report), _MOST_FINDINGS))
    script, effort = _asset("page.js"), effort_of(report)
    page = _environment().get_template("page.html")
    stream = page.stream(
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=_asset("page.css"),
        version=__version__,
        report=report,
        subject=context.subject,
        matrix=matrix,
        number=len(report.findings),
        severities=sorted(Severity, reverse=True),
        numbers=Counter(each.severity for each in report.findings),
        effort=effort,
        effort_words=in_words(effort),
        weights=weights(),
        unread_counts=unread_counts(report),
        overview=Overview(report, context),
        place=place_of,
        most_places=_MOST_PLACES,
        codes=codes(shown, context),
        cards=cards(shown, context),
        shown=len(shown),
    )
    stream.enable_buffering(1000)
    out.writelines(stream)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        finalize=_plain,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "count": count,
        "duration": duration,
        "thousands": "{:,}".format,
        "address": lambda url: url.removeprefix("https://").removesuffix("/"),
        "quoted": lambda text: quote(text, safe=""),
    }
    return environment


def _plain(value: Any) -> Markup:
    """What a template prints, escaped, with control characters shown; markup of ours as it is."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(printable(str(value))))


def _asset(name: str) -> Markup:
    """One of our own files, which goes into the page unchanged."""
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))
