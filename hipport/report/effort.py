"""How long a port takes, and how portable a tree is, by the rule of rules/effort.toml."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from typing import NamedTuple

from hipport.errors import RuleError
from hipport.model import Report, Severity
from hipport.rulebook.edition import rules_folder

_CLEAR = frozenset(("audited", "converted", "unchanged"))


class Weights(NamedTuple):
    """Minutes of the first finding of a kind in a file and of each further one; points."""

    first: dict[Severity, int]
    again: dict[Severity, int]
    points: dict[Severity, int]
    mapped_use: int
    clear_file: int


class Effort(NamedTuple):
    """The estimate of a tree: minutes, and points that need a person or none."""

    minutes: int
    by_file: Counter[str]
    by_severity: Counter[Severity]
    mapped_uses: int
    clear_files: int
    clear_points: int
    points: int

    @property
    def score(self) -> int:
        """The share of points that need no person, in percent, rounded down."""
        return 100 * self.clear_points // self.points if self.points else 100


@cache
def weights() -> Weights:
    """The rule; raises RuleError where rules/effort.toml lacks a number."""
    try:
        table = tomllib.loads((rules_folder() / "effort.toml").read_text(encoding="utf-8"))
        first, again, points = (
            {each: int(table[name][each.word]) for each in Severity}
            for name in ("first", "again", "points")
        )
        use, file = (int(table["points"][name]) for name in ("mapped_use", "clear_file"))
        return Weights(first, again, points, use, file)
    except (ValueError, TypeError, KeyError) as error:
        raise RuleError(f"rules/effort.toml: {error}", remedy="see the file's comments") from error


def effort_of(report: Report) -> Effort:
    """What is left to do, and what is not."""
    rule = weights()
    by_file: Counter[str] = Counter()
    by_severity: Counter[Severity] = Counter()
    seen: set[tuple[str, str, Severity]] = set()
    for each in report.findings:
        if not each.needs_person:
            continue
        kind = (each.path, each.code, each.severity)
        minutes = (rule.again if kind in seen else rule.first)[each.severity]
        seen.add(kind)
        by_file[each.path] += minutes
        by_severity[each.severity] += minutes
    mapped = sum(mapped for mapped, _ in report.uses.values())
    clear = sum(1 for file in report.files if file.status in _CLEAR and not by_file[file.path])
    clear_points = mapped * rule.mapped_use + clear * rule.clear_file
    points = clear_points + sum(
        rule.points[each.severity] for each in report.findings if each.needs_person
    )
    minutes = sum(by_file.values())
    return Effort(minutes, by_file, by_severity, mapped, clear, clear_points, points)


def duration(minutes: int) -> str:
    """Minutes as a person says them: `45 min`, `3.5 h`, `12 days` (of 8 hours)."""
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 16 * 60:
        return f"{minutes / 60:.1f} h"
    return f"{minutes / 480:,.1f} days"
