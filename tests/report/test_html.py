"""What the template makes of texts that come from the audited tree."""

from __future__ import annotations

from io import StringIO

import pytest

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report.context import Context
from hipport.report.formats import write

TEXTS = {
    "<img src=x>": "&lt;img src=x&gt;",
    "{{ 7 * 7 }}": "{{ 7 * 7 }}",
    "{% raw %}": "{% raw %}",
    "&amp;": "&amp;amp;",
    "\x1b[31m": "\\x1b[31m",
    "'\"": "&#x27;&quot;",
    "$version": "$version",
}
"""A text of the tree, and how it is written in the page."""


def page(text: str) -> str:
    """The page of a report in which each text is the one given."""
    place = Position(1, 1)
    finding = Finding(text, Severity.MANUAL, text, text, text, text, place, place)
    files = [
        FileReport(text, text, "audited"),
        FileReport(f"{text}2", text, "skipped", reason=text),
    ]
    report = Report("audit", files, [finding], uses={text: (1, 2)}, options={text: text})
    out = StringIO()
    write(report, out, "html", Context())
    return out.getvalue()


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_is_markup_and_none_is_a_template(text: str) -> None:
    plain, hostile = page("text"), page(text)
    assert hostile.count("<") == plain.count("<")
    assert "49" not in hostile
    assert "\x1b" not in hostile


def test_what_is_between_backticks_is_code() -> None:
    assert "<p>use <code>a &lt; b</code> here</p>" in page("use `a < b` here")
    assert "<p>one ` alone</p>" in page("one ` alone")


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_shown_as_they_are(text: str) -> None:
    assert f'<span class="where">{TEXTS[text]}:1:1</span>' in page(text)


def test_an_empty_report_says_so() -> None:
    out = StringIO()
    write(Report("audit"), out, "html", Context())
    for text in ("Nothing is left to do by hand.", "No use of a CUDA API was seen.", "Nothing."):
        assert f">{text}</p>" in out.getvalue()
