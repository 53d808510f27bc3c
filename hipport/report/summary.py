"""The top of every report for people: counts, kinds, files with most work, what is unread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hipport.model import FileReport, Finding, Report, Severity
from hipport.named_tuples import NamedTuple
from hipport.report.context import Context, count
from hipport.source.audit.decisions import at_each_place

if TYPE_CHECKING:
    from hipport.report.effort import Effort

_MANY = 50


class Advice(NamedTuple):
    """One remedy: how many findings of a kind it answers, and the first of them."""

    text: str
    number: int
    first: Finding


class Kind(NamedTuple):
    """The findings of one code and severity."""

    severity: Severity
    code: str
    title: str
    advices: tuple[Advice, ...]
    """What they suggest, the most frequent first: the remedy may depend on the place."""
    number: int
    places: int
    files: int
    links: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """What to do where all findings have the same remedy, or none; else ""."""
        return self.advices[0].text if len(self.advices) == 1 else ""


def kinds(findings: Iterable[Finding], context: Context) -> list[Kind]:
    """All kinds of findings, the worst first, of one severity the most frequent first."""
    first: dict[tuple[Severity, str], Finding] = {}
    numbers: Counter[tuple[Severity, str]] = Counter()
    places: Counter[tuple[Severity, str]] = Counter()
    files: dict[tuple[Severity, str], set[str]] = defaultdict(set)
    advices: dict[tuple[Severity, str], dict[str, Advice]] = {}
    for each in findings:
        kind = (each.severity, each.code)
        first.setdefault(kind, each)
        numbers[kind] += 1
        places[kind] += len(each.more) + 1
        files[kind].update(place.path for place in (each, *each.more))
        said = advices.setdefault(kind, {})
        advice = said.get(each.suggestion, Advice(each.suggestion, 0, each))
        said[each.suggestion] = advice._replace(number=advice.number + 1)
    ranked = sorted(numbers, key=lambda kind: (-kind[0], -numbers[kind], kind[1]))
    return [
        Kind(
            *kind,
            context.title(first[kind]),
            tuple(sorted(advices[kind].values(), key=lambda each: -each.number)),
            numbers[kind],
            places[kind],
            len(files[kind]),
            context.links(first[kind]),
        )
        for kind in ranked
    ]


def found_in(report: Report) -> str:
    """`2 of 3 files`, those with findings; `2 files` where some were not read themselves, but lead
    to one that was."""
    if not report.findings:
        return count(len(report.files), "file")
    paths = {each.path for each in at_each_place(report.findings)}
    if paths <= {file.path for file in report.files}:
        return f"{len(paths):,} of {count(len(report.files), 'file')}"
    return count(len(paths), "file")


def hot_files(report: Report, effort: Effort) -> list[tuple[str, int]]:
    """The files that need a person, with their places of findings; those with most work first."""
    places = at_each_place(report.findings)
    numbers = Counter(each.path for each in places if each.needs_person)
    ranked = sorted(numbers, key=lambda path: (-effort.by_file[path], -numbers[path], path))
    return [(path, numbers[path]) for path in ranked]


def busy_folder(report: Report) -> str:
    """`78 % of them are in csrc/cutlass/`: the deepest folder with two thirds of many findings.

    Often that is somebody else's code, to be taken from where it is ported. "" if there is none.
    """
    paths = [each.path for each in at_each_place(report.findings) if each.needs_person]
    if len(paths) < _MANY:
        return ""
    inside: Counter[str] = Counter()
    for path in paths:
        inside.update(f"{folder}/" for folder in PurePosixPath(path).parents if folder.name)
    least = 2 * len(paths) / 3
    busy = max((each for each in inside if inside[each] >= least), key=len, default="")
    return f"{100 * inside[busy] // len(paths)} % of them are in {busy}" if busy else ""


def libraries(report: Report) -> list[tuple[str, int, int]]:
    """Library, uses renamed by rule, uses seen; those with most uses left first."""
    ranked = sorted(
        report.uses.items(), key=lambda item: (item[1][0] - item[1][1], -item[1][1], item[0])
    )
    return [(library, mapped, uses) for library, (mapped, uses) in ranked]


def work(report: Report) -> str:
    """`5 findings at 9 places: 3 done by hipport convert, 1 needs a person, 1 needs nothing`.

    "" for none; the places only where they are more than findings. Notes that were left out come
    last: `; 12 notes left out (--all-places)`.
    """
    total, places, fixed, by_hand = 0, 0, 0, 0
    for each in report.findings:
        total += 1
        places += len(each.more) + 1
        fixed += bool(each.fixed_by)
        by_hand += each.needs_person
    notes = f"{count(report.notes, 'note')} left out (--all-places)" if report.notes else ""
    if report.command != "audit" or not total:
        return notes
    left = total - fixed - by_hand
    parts = [f"{fixed:,} done by hipport convert", f"{by_hand:,} {_need(by_hand)} a person"]
    parts += [f"{left:,} {_need(left)} nothing"] if left else []
    at = f" at {places:,} places" if places > total else ""
    found = f"{count(total, 'finding')}{at}: {', '.join(parts)}"
    return f"{found}; {notes}" if notes else found


def _need(number: int) -> str:
    return "needs" if number == 1 else "need"


def counts(report: Report) -> str:
    """`5 findings in 2 of 3 files: 1 blocker, 4 manual, 0 review, 0 info`.

    An audit says `Found in …`, as `work` has the number.
    """
    found = f"{count(len(report.findings), 'finding')} in {found_in(report)}"
    if not report.findings:
        return found
    if work(report):
        found = f"Found in {found_in(report)}"
    severities = Counter(each.severity for each in report.findings)
    parts = [f"{severities[each]:,} {each.word}" for each in sorted(Severity, reverse=True)]
    return f"{found}: {', '.join(parts)}"


def unread(report: Report) -> list[FileReport]:
    """The files that should have been read and were not, or only in part."""
    return [each for each in report.files if each.reason]


class Unread(NamedTuple):
    """Files that were not read, or not as a whole, for the same reason."""

    reason: str
    is_partial: bool
    paths: list[str]

    @property
    def where(self) -> str:
        """`a.cu and 2 more`."""
        more = len(self.paths) - 1
        return f"{self.paths[0]} and {more:,} more" if more else self.paths[0]

    @property
    def what(self) -> str:
        return f"{'read in part' if self.is_partial else 'skipped'}: {self.reason}"


def unread_by_reason(report: Report) -> list[Unread]:
    """The same in the order of their first files."""
    found: dict[tuple[str, bool], Unread] = {}
    for each in unread(report):
        key = (each.reason, each.status == "partial")
        found.setdefault(key, Unread(*key, [])).paths.append(each.path)
    return list(found.values())


def unread_counts(report: Report) -> str:
    """`2 files skipped, 1 file read in part`; "" if all was read."""
    parts = []
    skipped = sum(each.status != "partial" for each in unread(report))
    if skipped:
        parts.append(f"{count(skipped, 'file')} skipped")
    partial = len(unread(report)) - skipped
    if partial:
        parts.append(f"{count(partial, 'file')} read in part")
    return ", ".join(parts)
