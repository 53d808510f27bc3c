"""The report as Markdown, to be read in a pull request: GitHub takes 65,536 characters there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TextIO

from hipport.errors import printable
from hipport.lazy_regex import regex
from hipport.model import Finding, Report, Severity
from hipport.report.context import Context, count
from hipport.report.effort import Effort, duration, effort_of, in_words
from hipport.report.summary import (
    Kind,
    busy_folder,
    counts,
    hot_files,
    kinds,
    unread_by_reason,
    unread_counts,
    work,
)

_MOST_CHARACTERS = 60_000
_MOST_FILES = 10
_MOST_KINDS = 10
_MOST_PLACES = 20
# CommonMark, and GitHub's additions: tables, mentions, issues, formulas. Underscores within a
# word mean nothing.
_SPECIAL = regex(r"[&<>`*\[\]\\|~@#$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def write(report: Report, out: TextIO, context: Context) -> None:
    """Write the counts, the files with most to do, and the findings, the worst kinds first."""
    effort, ranked = effort_of(report), kinds(report.findings, context)
    lines = [
        *_summary(report, effort),
        *_kinds(kinds((each for each in report.findings if each.needs_person), context)),
        *_files(hot_files(report, effort), effort),
        *_unread(report),
    ]
    room = _MOST_CHARACTERS - sum(len(line) + 1 for line in lines)
    places: dict[tuple[Severity, str], list[Finding]] = defaultdict(list)
    for each in report.findings:
        places[each.severity, each.code].append(each)
    for number, kind in enumerate(ranked):
        block = _details(kind, places[kind.severity, kind.code])
        room -= len(block) + 1
        if room < 0:
            left = count(len(ranked) - number, "kind")
            lines.append(f"The places of {left} of findings are left out for length.")
            break
        lines.append(block)
    out.writelines(f"{line}\n" for line in lines)


def _summary(report: Report, effort: Effort) -> Iterator[str]:
    yield f"## hipport {report.command}"
    yield ""
    if work(report):
        yield f"**{work(report)}.**"
    yield f"{counts(report)}."
    if report.findings and report.command != "verify":
        yield f"Portability {', '.join(filter(None, (f'{effort.score} %', in_words(effort))))}."
    if busy := busy_folder(report):
        yield f"{_plain(busy)}."
    yield ""


def _kinds(urgent: list[Kind]) -> Iterator[str]:
    """What to do first."""
    if not urgent:
        return
    yield "| Severity | Finding | Number | What to do |"
    yield "| --- | --- | ---: | --- |"
    for each in urgent[:_MOST_KINDS]:
        at = f" at {each.places:,} places" if each.places > each.number else ""
        number = f"{each.number:,}{at} in {count(each.files, 'file')}"
        title = f"{each.code} {_text(each.title)}"
        advice = _text(each.advice if len(each.advices) == 1 else "See each place below.")
        yield f"| {each.severity.word} | {title} | {number} | {advice} |"
    if len(urgent) > _MOST_KINDS:
        yield f"| | … and {len(urgent) - _MOST_KINDS:,} more | | |"
    yield ""


def _files(files: list[tuple[str, int]], effort: Effort) -> Iterator[str]:
    if len(files) < 2:
        return
    yield "| Most to do in | Findings | Effort |"
    yield "| --- | ---: | ---: |"
    for path, number in files[:_MOST_FILES]:
        yield f"| {_code(path)} | {number:,} | {duration(effort.by_file[path])} |"
    if len(files) > _MOST_FILES:
        yield f"| … and {len(files) - _MOST_FILES:,} more | | |"
    yield ""


def _unread(report: Report) -> Iterator[str]:
    groups = unread_by_reason(report)
    if not groups:
        return
    yield f"{unread_counts(report)}:"
    yield ""
    for each in groups[:_MOST_FILES]:
        yield f"- {_code(each.where)} {_plain(each.reason)}"
    if len(groups) > _MOST_FILES:
        yield f"- … and {len(groups) - _MOST_FILES:,} more"
    yield ""


def _details(kind: Kind, found: list[Finding]) -> str:
    """One text for a kind of finding: each of its places, and what the finding says."""
    places: dict[tuple[str, str, str], list[int]] = {}
    for each in (place for finding in found for place in finding.places):
        advice = "" if kind.advice else each.suggestion
        places.setdefault((each.path, each.message, advice), []).append(each.start.line)
    messages = {message for _, message, _ in places}
    title = f"{kind.code} {_text(kind.title)} ({kind.number:,})"
    lines = ["<details>", f"<summary>{kind.severity.word}: {title}</summary>", ""]
    if len(messages) == 1:
        lines += [f"{_text(messages.pop())}.", ""]
    for (path, message, advice), numbers in list(places.items())[:_MOST_PLACES]:
        said = ". ".join(_text(each) for each in (message if messages else "", advice) if each)
        lines.append(f"- {_code(_place(path, numbers))} {said}".rstrip())
    if len(places) > _MOST_PLACES:
        lines.append(f"- … and {len(places) - _MOST_PLACES:,} more")
    if kind.advice:
        lines += ["", _text(kind.advice)]
    return "\n".join([*lines, "", "</details>"])


def _place(path: str, lines: list[int]) -> str:
    """`path:3, 5`; only the path for a binary file."""
    return f"{path}:{', '.join(map(str, lines))}" if any(lines) else path


def _code(text: str) -> str:
    return f"<code>{_plain(text)}</code>"


def _text(text: str) -> str:
    """A text of a rule, in which backticks enclose code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return _plain(text)
    return "".join(_code(each) if index % 2 else _plain(each) for index, each in enumerate(pieces))


def _plain(text: str) -> str:
    """A text in which nothing means anything: neither Markdown, HTML, a mention nor an issue."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", printable(text))
