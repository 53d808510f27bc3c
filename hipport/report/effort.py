"""How long a port takes, and how portable a tree is, by the rule of rules/effort.toml."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from typing import NamedTuple

from hipport.errors import RuleError
from hipport.model import Report, Severity
from hipport.source.rules import rules_folder

_CLEAR = frozenset(("audited", "converted", "unchanged"))


class Weights(NamedTuple):
    """Minutes: those of a finding by severity, and those spared."""

    finding: dict[Severity, int]
    mapped_use: int
    clear_file: int


class Effort(NamedTuple):
    """The estimate of a tree, in minutes."""

    left: int
    spared: int
    mapped_uses: int
    clear_files: int
    by_file: Counter[str]
    by_severity: Counter[Severity]

    @property
    def score(self) -> int:
        """The share of the port that needs no person, in percent, rounded down."""
        return 100 * self.spared // (self.spared + self.left) if self.left else 100


@cache
def weights() -> Weights:
    """The rule; raises RuleError where rules/effort.toml lacks a number."""
    try:
        table = tomllib.loads((rules_folder() / "effort.toml").read_text(encoding="utf-8"))
        finding = {each: int(table["finding"][each.word]) for each in Severity}
        spared = table["spared"]
        return Weights(finding, int(spared["mapped_use"]), int(spared["clear_file"]))
    except (ValueError, TypeError, KeyError) as error:
        raise RuleError(f"rules/effort.toml: {error}", remedy="see the file's comments") from error


def effort_of(report: Report) -> Effort:
    """What is left to do, and what is not."""
    rule = weights()
    by_file: Counter[str] = Counter()
    by_severity: Counter[Severity] = Counter()
    for each in report.findings:
        minutes = rule.finding[each.severity]
        by_file[each.path] += minutes
        by_severity[each.severity] += minutes
    mapped = sum(mapped for mapped, _ in report.uses.values())
    clear = sum(1 for file in report.files if file.status in _CLEAR and not by_file[file.path])
    spared = mapped * rule.mapped_use + clear * rule.clear_file
    return Effort(sum(by_file.values()), spared, mapped, clear, by_file, by_severity)


def duration(minutes: int) -> str:
    """Minutes as a person says them: `45 min`, `3.5 h`, `12 days` (of 8 hours)."""
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 16 * 60:
        return f"{minutes / 60:.1f} h"
    return f"{minutes / 480:,.1f} days"
