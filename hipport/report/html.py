"""The report as one HTML page that needs no network and no other file.

Every text of the audited tree is escaped; besides, the page's Content-Security-Policy lets no
script run but its own, which it names by hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import TextIO

from hipport import __version__
from hipport.errors import printable
from hipport.model import Finding, Report, Severity
from hipport.report.context import Context, column_of, count, line_of, worst_first
from hipport.report.effort import Effort, duration, effort_of, weights
from hipport.report.html_charts import Bar, bars, dial

_PAGE = Path(__file__).parent / "page"
_MOST_FINDINGS = 5000
_MOST_EXCERPTS = 2000
_MOST_FILES = 15
_MOST_LIBRARIES = 8
_AROUND = 2
_LONGEST_LINE = 160
_WORST_FIRST = sorted(Severity, reverse=True)


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the page; of very many findings it shows the worst, and says so."""
    effort = effort_of(report)
    shown = worst_first(report)[:_MOST_FINDINGS]
    excerpts = _excerpts(shown[:_MOST_EXCERPTS], context)
    script = _asset("page.js")
    digest = hashlib.sha256(script.encode()).digest()
    left_out = len(report.findings) - len(shown)
    found = count(len(report.findings), "finding")
    numbers = Counter(each.severity for each in report.findings)
    page = Template(_asset("page.html")).substitute(
        script_hash=base64.b64encode(digest).decode(),
        script=script,
        style=_asset("page.css"),
        found=found,
        about=_about(report, found),
        dial=dial(effort.score),
        verdict=_verdict(numbers),
        effort=duration(effort.left),
        rule=_rule(effort, numbers),
        severities=_severities(numbers, effort),
        libraries=_libraries(report),
        files=_files(report, effort),
        codes="".join(_options(shown, context)),
        boxes="".join(_boxes()),
        shown=f"{len(shown)} of {len(shown)} shown",
        left_out=f"<p>{count(left_out, 'finding')} of lower severity are left out here; the "
        "JSON report has all.</p>"
        if left_out
        else "",
        findings="\n".join(_card(each, excerpts.get(id(each), ""), context) for each in shown),
        version=__version__,
    )
    out.write(page)


def _asset(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


def _about(report: Report, found: str) -> str:
    versions = [f"{key} {value}" for key, value in report.options.items()]
    return _plain(", ".join([f"{found} in {count(len(report.files), 'file')}", *versions]))


def _verdict(numbers: Counter[Severity]) -> str:
    if not numbers:
        return "Nothing is left to do by hand."
    return ", ".join(f"{numbers[each]:,} {each.word}" for each in _WORST_FIRST if numbers[each])


def _rule(effort: Effort, numbers: Counter[Severity]) -> str:
    rule = weights()
    rows = [
        f"<li>{numbers[each]:,} {each.word} × {rule.finding[each]} min ="
        f" {effort.by_severity[each]:,} min</li>"
        for each in _WORST_FIRST
    ]
    return (
        "<p>Work left, in minutes a finding (rules/effort.toml):</p>"
        f"<ul>{''.join(rows)}</ul>"
        "<p>Work spared:</p>"
        f"<ul><li>{effort.mapped_uses:,} uses renamed by rule × {rule.mapped_use} min</li>"
        f"<li>{effort.clear_files:,} files that need nobody × {rule.clear_file} min</li></ul>"
        f"<p>Score = spared ÷ (spared + left) = {effort.spared:,} ÷"
        f" {effort.spared + effort.left:,} = {effort.score} %, rounded down."
        " An estimate to compare trees by, not a promise.</p>"
    )


def _severities(numbers: Counter[Severity], effort: Effort) -> str:
    most = max(numbers.values(), default=1)
    rows = [
        Bar(
            each.word,
            f"{numbers[each]:,} · {duration(effort.by_severity[each])}",
            numbers[each] / most,
            each.word,
        )
        for each in _WORST_FIRST
    ]
    return bars("Findings by severity", rows)


def _libraries(report: Report) -> str:
    if not report.uses:
        return "<p>No use of a CUDA API was seen.</p>"
    ranked = sorted(report.uses.items(), key=lambda item: (-item[1][1], item[0]))
    rows = [
        Bar(library, f"{mapped:,} of {uses:,}", mapped / max(uses, 1), "good")
        for library, (mapped, uses) in ranked[:_MOST_LIBRARIES]
    ]
    more = len(ranked) - len(rows)
    chart = bars("Uses that are renamed by rule, by library", rows)
    return f"{chart}<p>… and {more} more</p>" if more else chart


def _files(report: Report, effort: Effort) -> str:
    numbers = Counter(each.path for each in report.findings)
    ranked = sorted(numbers, key=lambda path: (-effort.by_file[path], -numbers[path], path))
    if not ranked:
        return "<p>None.</p>"
    rows = [
        f'<tr><td><code>{_plain(path)}</code></td><td class="number">{numbers[path]:,}</td>'
        f'<td class="number">{duration(effort.by_file[path])}</td></tr>'
        for path in ranked[:_MOST_FILES]
    ]
    more = len(ranked) - len(rows)
    note = f"<p>… and {count(more, 'more file')}</p>" if more else ""
    head = '<th>File</th><th class="number">Findings</th><th class="number">Effort</th>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{note}"


def _options(shown: Iterable[Finding], context: Context) -> Iterator[str]:
    examples = {each.code: each for each in shown}
    for code in sorted(examples):
        title = _plain(f"{code} {context.title(examples[code])}")
        yield f'<option value="{_plain(code)}">{title}</option>'


def _boxes() -> Iterator[str]:
    for each in _WORST_FIRST:
        box = f'<input type="checkbox" name="severity" value="{each.word}" checked>'
        yield f"<label>{box} {each.word}</label>"


def _card(finding: Finding, excerpt: str, context: Context) -> str:
    word = finding.severity.word
    place = _plain(f"{finding.path}:{line_of(finding)}:{column_of(finding)}")
    advice = f"<p>{_words(finding.suggestion)}</p>" if finding.suggestion else ""
    return (
        f'<article class="finding {word}" data-severity="{word}"'
        f' data-code="{_plain(finding.code)}"><span class="where">{place}</span>'
        f'<p><span class="word">{word}</span> <code>{_plain(finding.code)}</code>'
        f" {_plain(context.title(finding))}</p>"
        f"<p>{_words(finding.message)}</p>{advice}{excerpt}</article>"
    )


def _excerpts(findings: Iterable[Finding], context: Context) -> dict[int, str]:
    """The lines around each finding, by its id(); files are read one after the other."""
    found = {}
    for each in sorted(findings, key=lambda each: (each.path, each.start)):
        lines = context.lines.of(each.path)
        at = each.start.line - 1
        if not 0 <= at < len(lines):
            continue
        first = max(at - _AROUND, 0)
        rows = [
            _row(number, lines[number], number == at)
            for number in range(first, min(at + _AROUND + 1, len(lines)))
        ]
        found[id(each)] = f"<pre>{''.join(rows)}</pre>"
    return found


def _row(number: int, line: str, is_hit: bool) -> str:
    text = line[: 4 * _LONGEST_LINE].expandtabs(4)
    cut = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
    row = _plain(f"{number + 1:>5}  {cut}")
    return f'<span class="hit">{row}</span>\n' if is_hit else f"{row}\n"


def _words(text: str) -> str:
    """A text of a rule: what stands between backticks there is code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return _plain(text)
    return "".join(
        f"<code>{_plain(each)}</code>" if index % 2 else _plain(each)
        for index, each in enumerate(pieces)
    )


def _plain(text: str) -> str:
    return escape(printable(text))
