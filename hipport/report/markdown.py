"""The report as Markdown, to be read in a pull request: GitHub takes 65,536 characters there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from hipport.errors import printable
from hipport.model import Finding, Report, Severity
from hipport.report.context import Context, count, line_of
from hipport.report.effort import duration, effort_of

_MOST_CHARACTERS = 60_000
_MOST_FILES = 10
_SPECIAL = re.compile(r"[&<>`*_\[\]\\|~@#!$\"'(){}]")


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the counts, the files with most to do, and the findings, the worst kinds first."""
    effort = effort_of(report)
    head = [*_summary(report, effort.score, effort.left), *_files(report, effort.by_file)]
    body = list(_findings(report, context))
    room = _MOST_CHARACTERS - sum(len(line) + 1 for line in head)
    for number, block in enumerate(body):
        room -= len(block) + 1
        if room < 0:
            left = count(len(body) - number, "more kind")
            head.append(f"… and {left} of findings, left out for length.")
            break
        head.append(block)
    out.writelines(f"{line}\n" for line in head)


def _summary(report: Report, score: int, minutes: int) -> Iterator[str]:
    yield "## hipport audit"
    yield ""
    if not report.findings:
        yield f"No findings in {count(len(report.files), 'file')}."
        return
    severities = Counter(each.severity for each in report.findings)
    words = ", ".join(f"{severities[each]:,} {each.word}" for each in sorted(Severity)[::-1])
    found = count(len(report.findings), "finding")
    yield f"**{found}** in {count(len(report.files), 'file')}: {words}."
    yield f"Portability {score} %, about {duration(minutes)} of work (rules/effort.toml)."
    yield ""


def _files(report: Report, minutes: Counter[str]) -> Iterator[str]:
    if len(minutes) < 2:
        return
    numbers = Counter(each.path for each in report.findings)
    yield "| File | Findings | Effort |"
    yield "| --- | ---: | ---: |"
    for path, effort in minutes.most_common(_MOST_FILES):
        yield f"| {_code(path)} | {numbers[path]:,} | {duration(effort)} |"
    if len(minutes) > _MOST_FILES:
        yield f"| … and {len(minutes) - _MOST_FILES:,} more | | |"
    yield ""


def _findings(report: Report, context: Context) -> Iterator[str]:
    """One text for each kind of finding."""
    kinds: dict[tuple[int, str], list[Finding]] = {}
    for each in report.findings:
        kinds.setdefault((-each.severity, each.code), []).append(each)
    for (_, code), found in sorted(kinds.items()):
        title = f"{code} {context.title(found[0])}"
        lines = [
            "<details>",
            f"<summary>{found[0].severity.word}: {_text(title)} ({len(found):,})</summary>",
            "",
        ]
        for each in found:
            lines.append(f"- {_code(f'{each.path}:{line_of(each)}')} {_text(each.message)}")
        if found[0].suggestion:
            lines += ["", _text(found[0].suggestion)]
        yield "\n".join([*lines, "", "</details>"])


def _code(text: str) -> str:
    return f"<code>{_plain(text)}</code>"


def _text(text: str) -> str:
    """A text of a rule: what stands between backticks there is code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return _plain(text)
    return "".join(_code(each) if index % 2 else _plain(each) for index, each in enumerate(pieces))


def _plain(text: str) -> str:
    """A text in which nothing means anything: neither Markdown, HTML, a mention nor an issue."""
    return re.sub(
        r"[&<>`*_\[\]\\|~@#!$\"'(){}]", lambda match: f"&#{ord(match[0])};", printable(text)
    )
