"""Checks that the rule files are sorted, free of duplicates and contradictions, and well formed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hipport.source.rules import KINDS, STATUSES, ApiRule, RuleSet

_VERSION = re.compile(r"(?:\d+(?:\.\d+)*)?")
_ACTIONS = frozenset(("map", "keep", "drop", "unsupported", "manual", "torch"))
_OPERATIONS = frozenset(
    ("accept", "rename", "wrap", "cast", "insert", "remove", "replace", "move", "copy", "differs")
)


def faults(rules: RuleSet) -> Iterator[str]:
    """Every fault found, each with file and line; none for a consistent rulebook."""
    yield from _files(rules)
    mapped: dict[str, ApiRule] = {}
    for library in rules.libraries:
        yield from _library(rules, library, mapped)
    yield from _headers(rules)
    yield from _transforms(rules)
    yield from _findings(rules)


def _files(rules: RuleSet) -> Iterator[str]:
    present = {path.stem for path in (rules.folder / "api").glob("*.tsv")}
    for name in sorted(present ^ rules.libraries.keys()):
        yield f"rules/libraries.toml: {name} stands only in it or only in rules/api"


def _library(rules: RuleSet, library: str, mapped: dict[str, ApiRule]) -> Iterator[str]:
    name = f"api/{library}.tsv"
    rows = rules.table(name)
    for number, (one, two) in enumerate(pairwise(rows), start=3):
        if (one[0], one[1]) == (two[0], two[1]):
            yield f"rules/{name}:{number}: {two[0]} stands there twice"
        elif (one[0], one[1]) > (two[0], two[1]):
            yield f"rules/{name}:{number}: {two[0]} is out of order"
    width = len(ApiRule.__dataclass_fields__) - 1
    for number, row in enumerate(rows, start=2):
        place = f"rules/{name}:{number}: {row[0]}"
        if len(row) != width:
            yield f"{place}: {len(row)} columns, {width} are needed"
            continue
        rule = ApiRule(*row)
        yield from (f"{place}: {fault}" for fault in _api(rule))
        other = mapped.setdefault(rule.cuda, rule)
        if rules.libraries[library].policy == "map" and other.hip != rule.hip:
            yield f"{place}: becomes {rule.hip or 'nothing'}, elsewhere {other.hip or 'nothing'}"


def _api(rule: ApiRule) -> Iterator[str]:
    if rule.kind not in KINDS:
        yield f"unknown kind {rule.kind}"
    if rule.status not in STATUSES:
        yield f"unknown status {rule.status}"
    has_name = bool(rule.hip or rule.roc) or rule.kind.endswith("header")
    if rule.status in ("unsupported", "dropped") and (rule.hip or rule.roc):
        yield f"is {rule.status}, yet has a counterpart"
    if rule.status in STATUSES - {"unsupported", "dropped"} and not has_name:
        yield f"is {rule.status}, yet has no counterpart"
    for column in ("hip_added", "hip_deprecated", "hip_removed", "hip_changed"):
        if not _VERSION.fullmatch(getattr(rule, column)):
            yield f"{column} is no version: {getattr(rule, column)}"


def _headers(rules: RuleSet) -> Iterator[str]:
    names = [row[0] for row in rules.table("headers.tsv")]
    for number, (one, two) in enumerate(pairwise(names), start=3):
        if one >= two:
            yield f"rules/headers.tsv:{number}: {two} is out of order, or stands there twice"
    for header in rules.headers.values():
        if header.action not in _ACTIONS:
            yield f"rules/headers.tsv: {header.cuda}: unknown action {header.action}"
        if header.action == "map" and not header.hip:
            yield f"rules/headers.tsv: {header.cuda}: is mapped to nothing"
    for rule in rules.every_api():
        known = rules.headers.get(rule.cuda) if rule.kind.endswith("header") else None
        if known and known.action == "map" and rule.hip != known.hip:
            yield f"rules/api/{rule.library}.tsv: {rule.cuda}: headers.tsv says {known.hip}"


def _transforms(rules: RuleSet) -> Iterator[str]:
    rows = rules.table("transforms.tsv")
    for number, (one, two) in enumerate(pairwise(rows), start=3):
        if (one[0], one[1]) > (two[0], two[1]):
            yield f"rules/transforms.tsv:{number}: {two[0]} is out of order"
        elif one == two:
            yield f"rules/transforms.tsv:{number}: {two[0]} stands there twice"
    for number, row in enumerate(rows, start=2):
        place = f"rules/transforms.tsv:{number}: {row[0]}"
        if row[2] not in _OPERATIONS:
            yield f"{place}: unknown operation {row[2]}"
        if row[1] not in ("hip", "roc"):
            yield f"{place}: unknown target {row[1]}"
        if row[0] not in rules.lines:
            yield f"{place}: no rule in rules/api"


def _findings(rules: RuleSet) -> Iterator[str]:
    for path in sorted((rules.folder / "checks").glob("*.toml")):
        if path.stem not in rules.findings:
            yield f"rules/checks/{path.name}: its id is not {path.stem}"
