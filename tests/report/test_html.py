"""What the template makes of texts that come from the audited tree."""

from __future__ import annotations

import re
from io import StringIO

import pytest

from hipport.model import FileReport, Finding, Position, Report, Severity
from hipport.report.context import Context
from hipport.report.formats import write
from hipport.rulebook.load import load
from hipport.runs.subject import Subject

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


def test_the_page_says_what_was_audited_when_and_what_for() -> None:
    out = StringIO()
    report = Report("audit", options={"rocm": "7.1"})
    subject = Subject("solver<1>", "/home/me/solver", "a" * 40, "2026-11-22")
    write(report, out, "html", Context(subject=subject))
    text = out.getvalue()
    assert "<title>solver&lt;1&gt;: hipport audit, 0 findings</title>" in text
    assert "<h1>What stands between solver&lt;1&gt; and ROCm</h1>" in text
    facts = re.findall("<dt>(.*)</dt><dd>(.*)</dd>", text)
    assert facts == [
        ("Path", "/home/me/solver"),
        ("Commit", "a" * 40),
        ("Date", "2026-11-22"),
        ("ROCm", "7.1"),
        ("GPUs", "all of AMD&#x27;s"),
    ]


def test_remedies_that_differ_are_shown_with_their_places() -> None:
    report = Report("audit", uses={"CUDA runtime": (3, 4)})
    for number in range(6):
        place = Position(number + 1, 1)
        advice = f"Use <{min(number, 4)}>."
        report.findings.append(
            Finding("HP-A", Severity.MANUAL, "m", advice, "", "a.cu", place, place)
        )
    out = StringIO()
    write(report, out, "html", Context())
    table = out.getvalue().partition('<ul class="advices">')[2].partition("</td>")[0]
    assert re.findall("<li>(.*?) <span", table) == [
        "Use &lt;4&gt;.",
        "Use &lt;0&gt;.",
        "Use &lt;1&gt;.",
    ]
    assert "a.cu:5:1 and 1 more</span>" in table
    assert "… and 2 more" in table
    assert "<p>75 % of 4 uses of CUDA&#x27;s APIs are renamed by rule.</p>" in out.getvalue()


def test_an_empty_report_says_so() -> None:
    out = StringIO()
    write(Report("audit"), out, "html", Context())
    for text in ("Nothing is left to do by hand.", "No use of a CUDA API was seen.", "Nothing."):
        assert f">{text}</p>" in out.getvalue()


def test_a_card_links_both_vendors_documentation_of_its_name() -> None:
    """Each name of a library has them, whether or not the rulebook has a line for it."""
    place = Position(1, 1)
    names = {"cudaMalloc": "HP-API-001", "nppiAdd_8u_C1RSfs": "HP-LIB-012", "own": "HP-API-002"}
    report = Report("audit")
    for name, code in names.items():
        report.findings.append(Finding(code, Severity.MANUAL, "m", "", name, "a.cu", place, place))
    out = StringIO()
    write(report, out, "html", Context(load(is_audit=True).findings))
    cards = out.getvalue().partition('<div id="findings">')[2].split("<article")[1:]
    assert [re.findall('href="(https://[^"]+)" rel="noreferrer">', card) for card in cards] == [
        [
            "https://docs.nvidia.com/cuda/cuda-runtime-api/",
            "https://rocm.docs.amd.com/projects/HIP/en/latest/reference/hip_runtime_api_reference.html",
        ],
        ["https://rocm.docs.amd.com/projects/rpp/en/latest/", "https://docs.nvidia.com/cuda/npp/"],
        [],
    ]
