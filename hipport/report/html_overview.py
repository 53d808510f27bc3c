"""The upper part of the HTML report: verdict, how it is computed, kinds, files, coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from hipport.model import Report, Severity
from hipport.report.context import Context, count
from hipport.report.effort import Effort, duration, weights
from hipport.report.html_charts import Bar, bars
from hipport.report.html_words import plain, words
from hipport.report.summary import (
    Kind,
    hot_files,
    kinds,
    libraries,
    unread_by_reason,
    unread_counts,
)

_MOST_KINDS = 12
_MOST_FILES = 12
_MOST_LIBRARIES = 8
_MOST_UNREAD = 50
WORST_FIRST = sorted(Severity, reverse=True)


def verdict(numbers: Counter[Severity]) -> str:
    if not numbers:
        return "Nothing is left to do by hand."
    return ", ".join(f"{numbers[each]:,} {each.word}" for each in WORST_FIRST if numbers[each])


def computation(effort: Effort, numbers: Counter[Severity]) -> str:
    """How effort and score come about, with the numbers of this report."""
    rule = weights()
    minutes = [
        f"<li>{each.word}: {rule.first[each]} min, then {rule.again[each]} min; here"
        f" {effort.by_severity[each]:,} min</li>"
        for each in WORST_FIRST
        if rule.first[each]
    ]
    against = [
        f"{numbers[each]:,} {each.word} × {rule.points[each]}"
        for each in WORST_FIRST
        if rule.points[each]
    ]
    return (
        "<p>Effort: minutes for the first finding of a kind in a file, and for each further one"
        f" there (rules/effort.toml).</p><ul>{''.join(minutes)}</ul>"
        "<p>Score: the share of points that need no person.</p><ul>"
        f"<li>need none: {effort.mapped_uses:,} uses renamed by rule × {rule.mapped_use} +"
        f" {effort.clear_files:,} files without work × {rule.clear_file} ="
        f" {effort.clear_points:,}</li>"
        f"<li>need one: {' + '.join(against)} = {effort.points - effort.clear_points:,}</li>"
        f"<li>{effort.clear_points:,} ÷ {effort.points:,} = {effort.score} %, rounded down</li>"
        "</ul><p>Estimates to compare trees by, not promises.</p>"
    )


def severity_chart(numbers: Counter[Severity], effort: Effort) -> str:
    most = max(numbers.values(), default=1)
    rows = [
        Bar(
            each.word,
            f"{numbers[each]:,} · {duration(effort.by_severity[each])}",
            numbers[each] / most,
            each.word,
        )
        for each in WORST_FIRST
    ]
    return bars("Findings by severity", rows)


def library_chart(report: Report) -> str:
    if not report.uses:
        return "<p>No use of a CUDA API was seen.</p>"
    rows = [
        Bar(library, f"{mapped:,} of {uses:,}", mapped / max(uses, 1), "good")
        for library, mapped, uses in libraries(report)[:_MOST_LIBRARIES]
    ]
    chart = bars("Uses that are renamed by rule, by library", rows)
    return chart + _more(len(report.uses) - len(rows))


def kind_table(report: Report, context: Context) -> str:
    """What to do first; each row leads to its findings."""
    ranked = [each for each in kinds(report.findings, context) if each.severity > Severity.INFO]
    if not ranked:
        return "<p>Nothing.</p>"
    head = '<th>Finding</th><th class="number">Number</th><th>What to do</th>'
    rows = "".join(_kind_row(each) for each in ranked[:_MOST_KINDS])
    return _table("kinds", head, rows) + _more(len(ranked) - _MOST_KINDS)


def _kind_row(kind: Kind) -> str:
    link = f"#code={quote(kind.code, safe='')}"
    return (
        f'<tr class="{kind.severity.word}"><td><a href="{plain(link)}">'
        f'<span class="word">{kind.severity.word}</span> {plain(kind.code)}</a><br>'
        f'{plain(kind.title)}</td><td class="number">{kind.number:,}'
        f"<br> in {count(kind.files, 'file')}</td><td>{words(kind.advice)}</td></tr>"
    )


def file_table(report: Report, effort: Effort) -> str:
    ranked = hot_files(report, effort)
    if not ranked:
        return "<p>None.</p>"
    head = '<th>File</th><th class="number">Findings</th><th class="number">Effort</th>'
    rows = "".join(
        f'<tr><td><a href="#q={quote(path, safe="")}"><code>{plain(path)}</code></a></td>'
        f'<td class="number">{number:,}</td>'
        f'<td class="number">{duration(effort.by_file[path])}</td></tr>'
        for path, number in ranked[:_MOST_FILES]
    )
    return _table("files", head, rows) + _more(len(ranked) - _MOST_FILES)


def unread_list(report: Report) -> str:
    """A card with the files that were not read, and why; "" if all were."""
    groups = unread_by_reason(report)
    if not groups:
        return ""
    rows = "".join(
        f"<li><code>{plain(each.where)}</code> {plain(each.reason)}</li>"
        for each in groups[:_MOST_UNREAD]
    )
    return (
        f'<div class="card wide" id="unread"><h2>Not looked at, or not as a whole</h2>'
        f"<details><summary>{unread_counts(report)}</summary><ul>{rows}</ul>"
        f"{_more(len(groups) - _MOST_UNREAD)}</details></div>"
    )


def boxes(severities: Iterable[Severity] = WORST_FIRST) -> str:
    """A box to tick for each severity."""
    return "".join(
        f'<label><input type="checkbox" name="severity" value="{each.word}" checked>'
        f" {each.word}</label>"
        for each in severities
    )


def _table(name: str, head: str, rows: str) -> str:
    return f'<table class="{name}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _more(number: int) -> str:
    return f"<p>… and {number:,} more</p>" if number > 0 else ""
