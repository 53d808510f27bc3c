"""The report as one HTML page that needs no network and no other file.

Every text of the audited tree is escaped; besides, the page's Content-Security-Policy lets no
script run but its own, which it names by hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from itertools import islice
from pathlib import Path
from string import Template
from typing import TextIO

from hipport import __version__
from hipport.model import Report
from hipport.report import html_overview as overview
from hipport.report.context import Context, count, worst_first
from hipport.report.effort import duration, effort_of
from hipport.report.html_charts import dial
from hipport.report.html_findings import cards, options
from hipport.report.html_words import plain
from hipport.report.summary import files_with, unread_counts

_PAGE = Path(__file__).parent / "page"
_MOST_FINDINGS = 5000
_OPTIONS = {"rocm": "for ROCm", "targets": "on"}


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the page; of very many findings it shows the worst, and says so."""
    effort = effort_of(report)
    shown = list(islice(worst_first(report), _MOST_FINDINGS))
    numbers = Counter(each.severity for each in report.findings)
    script = _asset("page.js")
    page = Template(_asset("page.html")).substitute(
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        script=script,
        style=_asset("page.css"),
        found=count(len(report.findings), "finding"),
        about=_about(report),
        dial=dial(effort.score),
        verdict=overview.verdict(numbers),
        effort=duration(effort.minutes),
        computation=overview.computation(effort, numbers),
        severities=overview.severity_chart(numbers, effort),
        libraries=overview.library_chart(report),
        kinds=overview.kind_table(report, context),
        files=overview.file_table(report, effort),
        unread=overview.unread_list(report),
        codes=options(shown, context),
        boxes=overview.boxes(),
        shown=f"{len(shown)} of {len(shown)} shown",
        left_out=_left_out(len(report.findings) - len(shown)),
        findings=cards(shown, context),
        version=__version__,
    )
    out.write(page)


def _asset(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


def _about(report: Report) -> str:
    with_any = files_with(report.findings)
    found = count(len(report.findings), "finding")
    parts = [f"{found} in {with_any:,} of {count(len(report.files), 'file')}"]
    parts += [f"{_OPTIONS.get(key, key)} {value}" for key, value in report.options.items()]
    parts += [unread_counts(report)] if unread_counts(report) else []
    return plain(" · ".join(parts))


def _left_out(number: int) -> str:
    if not number:
        return ""
    least = "of lower severity are left out here; the JSON report has all."
    return f'<p id="left-out">{count(number, "finding")} {least}</p>'
