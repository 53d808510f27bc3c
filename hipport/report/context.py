"""What the writers of an audit's report know besides the findings, and words they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hipport.model import Finding, Report, Severity
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.source.tree.source_lines import Lines, SourceLines

if TYPE_CHECKING:
    from hipport.runs.subject import Subject

_MOST_NAMED = 3
_LONGEST_NAMED = 40


class Context(msgspec.Struct, frozen=True):
    """The rules that name the findings, and the lines of the files they are in."""

    rules: Mapping[str, FindingRule] = msgspec.field(default_factory=dict)
    lines: Lines = msgspec.field(default_factory=SourceLines)
    fail_on: Severity | None = Severity.MANUAL
    """The lowest severity at which a finding fails a build; None for never."""
    file_of: Callable[[str], Path | None] = Path
    """Gives the file at a path of the report, by default that of the path itself."""
    subject: Subject | None = None
    """What was audited; None where nobody knows, as of merged reports."""

    def title(self, finding: Finding) -> str:
        """What a finding's code means, whatever it was found in."""
        rule = self.rules.get(finding.code)
        return rule.title if rule else finding.code

    def links(self, finding: Finding) -> tuple[str, ...]:
        """Where others say more about what a finding's code means."""
        rule = self.rules.get(finding.code)
        return rule.links if rule else ()

    def documentation(self, finding: Finding) -> tuple[str, ...]:
        """Where NVIDIA documents the library that the finding's name is of, and AMD its own.

        Of a library without a rule for each name, the links are those of its finding.
        """
        rule = self.rules.get(finding.code)
        of_library = rule.links if rule and rule.check == "library" else ()
        return load().documentation(finding.symbol) or of_library


def worst_first(report: Report) -> Iterator[Finding]:
    """The findings by severity, those of one severity in the order of the report."""
    for severity in sorted(Severity, reverse=True):
        yield from (each for each in report.findings if each.severity == severity)


def place_of(finding: Finding) -> str:
    """`path:line:column`; only the path for a finding in a binary file."""
    line, column = finding.start
    return f"{finding.path}:{line}:{column}" if line else finding.path


def more_places(finding: Finding) -> str:
    """`and 59 more places in 12 files, also of a, b, …`; "" for a finding with one place.

    What the others are of is said where it is something else.
    """
    if not finding.more:
        return ""
    files = {each.path for each in finding.more} - {finding.path}
    text = f"and {count(len(finding.more), 'more place')}"
    text += f" in {count(len(files), 'other file')}" if files else " in this file"
    others = list(dict.fromkeys(each.symbol for each in finding.more))
    others = [each for each in others if each != finding.symbol]
    named = [f"`{_short(each)}`" for each in others[:_MOST_NAMED]]
    return ", ".join([text, *named, *(["…"] if len(others) > _MOST_NAMED else [])])


def _short(symbol: str) -> str:
    return symbol if len(symbol) <= _LONGEST_NAMED else f"{symbol[: _LONGEST_NAMED - 1]}…"


def line_of(finding: Finding) -> int:
    """The line to show; a finding in a binary file has none, where formats want one."""
    return max(finding.start.line, 1)


def column_of(finding: Finding) -> int:
    return max(finding.start.column, 1)


def count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
