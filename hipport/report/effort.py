"""How long a port takes, and how portable a tree is, by the rule of rules/effort.toml."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import takewhile
from pathlib import PurePosixPath

from hipport.errors import RuleError
from hipport.model import Finding, Report, Severity
from hipport.named_tuples import NamedTuple
from hipport.rulebook.edition import rules_folder
from hipport.rulebook.typed import read_toml
from hipport.source.audit.decisions import at_each_place

_CLEAR = frozenset(("audited", "converted", "unchanged"))
_STEPS = ("kind", "file", "again", "same")


class Minutes(NamedTuple):
    """An estimate, in minutes of a person."""

    low: int
    likely: int
    high: int

    def plus(self, other: Minutes) -> Minutes:
        """Both together."""
        return Minutes(self.low + other.low, self.likely + other.likely, self.high + other.high)


_NONE = Minutes(0, 0, 0)


class Weights(NamedTuple):
    """What rules/effort.toml says: minutes by severity and step, scopes, and points."""

    minutes: dict[Severity, dict[str, Minutes]]
    of_trees: frozenset[str]
    """Codes and families of findings that one decision for the tree answers."""
    of_files: frozenset[str]
    """The same for one change in a file."""
    apart: re.Pattern[str]
    around: tuple[float, float, float]
    """Minutes for each use that a rule renames: what ports changed where nothing is found."""
    points: dict[Severity, int]
    mapped_use: int
    clear_file: int

    def is_of_tree(self, code: str) -> bool:
        """Whether one decision answers all findings with a code."""
        return _has(self.of_trees, code)

    def is_of_file(self, code: str) -> bool:
        """Whether one change answers all findings with a code in a file."""
        return _has(self.of_files, code)


def _has(codes: frozenset[str], code: str) -> bool:
    return code in codes or code.rpartition("-")[0] in codes


class Effort(NamedTuple):
    """The estimate of a tree: minutes, and points that need a person or none."""

    work: Minutes
    """What the program itself takes."""
    apart: Minutes
    """What its tests, examples and CI take."""
    around: Minutes
    """What ports took besides findings, by the number of uses of CUDA's APIs."""
    by_file: Counter[str]
    """Likely minutes; tests included, as in the following."""
    by_folder: Counter[str]
    by_code: Counter[str]
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
        table = read_toml(rules_folder() / "effort.toml", "rules/effort.toml")
        minutes = {
            each: {step: Minutes(*table["minutes"][each.word][step]) for step in _STEPS}
            for each in Severity
        }
        points = {each: int(table["points"][each.word]) for each in Severity}
        use, file = (int(table["points"][name]) for name in ("mapped_use", "clear_file"))
        scope = table["scope"]
        return Weights(
            minutes,
            frozenset(scope["tree"]),
            frozenset(scope["file"]),
            re.compile(scope["apart"]),
            _three(table["around"]["use"]),
            points,
            use,
            file,
        )
    except (ValueError, TypeError, KeyError, re.error) as error:
        raise RuleError(f"rules/effort.toml: {error}", remedy="see the file's comments") from error


def _three(numbers: list[float]) -> tuple[float, float, float]:
    low, likely, high = map(float, numbers)
    return low, likely, high


def effort_of(report: Report) -> Effort:
    """What is left to do, and what is not."""
    rule = weights()
    steps = _Steps(rule)
    work = apart = _NONE
    by_file, by_folder, by_code = Counter[str](), Counter[str](), Counter[str]()
    by_severity = Counter[Severity]()
    common = _common_folder(report)
    for each in at_each_place(report.findings):
        if not each.needs_person:
            continue
        minutes = rule.minutes[each.severity][steps.step(each)]
        if rule.apart.search(each.path):
            apart = apart.plus(minutes)
        else:
            work = work.plus(minutes)
        by_file[each.path] += minutes.likely
        by_folder[_folder(each.path, common)] += minutes.likely
        by_code[each.code] += minutes.likely
        by_severity[each.severity] += minutes.likely
    points = sum(rule.points[each.severity] for each in report.findings if each.needs_person)
    mapped = sum(mapped for mapped, _ in report.uses.values())
    clear = sum(1 for file in report.files if file.status in _CLEAR and file.path not in by_file)
    clear_points = mapped * rule.mapped_use + clear * rule.clear_file
    return Effort(
        work,
        apart,
        Minutes(*(round(mapped * each) for each in rule.around)),
        by_file,
        by_folder,
        by_code,
        by_severity,
        mapped,
        clear,
        clear_points,
        clear_points + points,
    )


class _Steps:
    """Which of the steps of rules/effort.toml a finding is, given those before it."""

    def __init__(self, rule: Weights) -> None:
        self._rule = rule
        self._kinds: set[tuple[str, Severity]] = set()
        self._files: set[tuple[str, Severity, str]] = set()
        self._symbols: set[tuple[str, str]] = set()

    def step(self, finding: Finding) -> str:
        kind = (finding.code, finding.severity)
        file = (*kind, finding.path)
        symbol = (finding.code, finding.symbol)
        is_new, is_new_here = kind not in self._kinds, file not in self._files
        is_known = symbol in self._symbols or self._rule.is_of_tree(finding.code)
        is_known |= self._rule.is_of_file(finding.code) and not is_new_here
        self._kinds.add(kind)
        self._files.add(file)
        self._symbols.add(symbol)
        if is_new:
            return "kind"
        if is_known:
            return "same"
        return "file" if is_new_here else "again"


def _folder(path: str, common: int) -> str:
    """The folder by which effort is added up: two levels below the one that all files are in."""
    parts = PurePosixPath(path).parts[:-1][: common + 2]
    return f"{'/'.join(parts)}/" if parts else "./"


def _common_folder(report: Report) -> int:
    """How deep the folder is that has all findings."""
    places = at_each_place(report.findings)
    folders = {each.path.rpartition("/")[0] for each in places if each.needs_person}
    first, last = (PurePosixPath(pick(folders, default="")).parts for pick in (min, max))
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return sum(1 for _ in same)


def duration(minutes: int) -> str:
    """Minutes as a person says them: `45 min`, `3.5 h`, `12 days` (of 8 hours)."""
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 16 * 60:
        return f"{minutes / 60:.1f} h"
    return f"{minutes / 480:,.1f} days"


def in_words(effort: Effort) -> str:
    """`about 3.5 h (1.2 h to 2.1 days) of work on findings, and 45 min for tests, …`."""
    parts = []
    if effort.work.high:
        parts.append(f"{_range(effort.work)} of work on findings")
    if effort.apart.high:
        parts.append(f"{duration(effort.apart.likely)} for tests, examples and CI")
    if effort.around.high:
        parts.append(f"{_range(effort.around)} for changes without a finding")
    *first, last = parts or [""]
    return f"about {', '.join([*first, f'and {last}' if first else last])}" if last else ""


def _range(minutes: Minutes) -> str:
    low, likely, high = map(duration, minutes)
    return f"{likely} ({low} to {high})"
