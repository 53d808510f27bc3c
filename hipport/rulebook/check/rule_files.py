"""Checks that the rule files are well formed, sorted, free of duplicates and contradictions."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from itertools import pairwise

from hipport.errors import RuleError
from hipport.lazy_regex import regex
from hipport.rulebook.check.ambiguous_repeats import ambiguous_repeats
from hipport.rulebook.check.flag_files import cmake_faults, flag_faults, kind_faults, repeated_flags
from hipport.rulebook.check.rewrite_file import rewrite_faults
from hipport.rulebook.cmake_rules import CMakeRule
from hipport.rulebook.device_features import target_table
from hipport.rulebook.finding_rules import FindingRule, finding_rule
from hipport.rulebook.model import (
    CHANGES,
    KINDS,
    STATUSES,
    ApiRule,
    HeaderRule,
    MoveRule,
    TransformRule,
    parse_version,
)
from hipport.rulebook.nvcc_flags import FlagRule
from hipport.rulebook.pattern_modules import own_key_faults
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.toolkit_folders import EnvironmentRule
from hipport.rulebook.typed import expressions, pattern_faults

_VERSION = regex(r"(?:\d+(?:\.\d+)*)?", re.ASCII)
_LINK = regex(r"https://[^/\s]+/\S*")
_ACTIONS = frozenset(("map", "keep", "drop", "unsupported", "manual", "torch"))
_OPERATIONS = frozenset(
    (
        "accept",
        "choose",
        "omit",
        "rename",
        "wrap",
        "cast",
        "insert",
        "default",
        "remove",
        "replace",
        "move",
        "mutable",
        "copy",
        "retype",
        "differs",
    )
)
_POLICIES = frozenset(("map", "whole", "report", "leave", "none"))
_API = [*ApiRule.__annotations__][:-1]
_HEADER = [*HeaderRule.__annotations__]
_MOVE = [*MoveRule.__annotations__]
_TRANSFORM = [*TransformRule.__annotations__]

Row = tuple[int, list[str]]
"""A line's number and its columns, those left out at its end included."""


def faults(rules: RuleSet) -> Iterator[str]:
    """Every fault found, each with file and line; none for a consistent rulebook."""
    try:
        yield from _libraries(rules)
        names: set[str] = set()
        mapped: dict[str, str] = {}
        headers = _Table(rules, "headers.tsv", _HEADER, needed=_HEADER.index("action") + 1)
        yield from headers.faults
        actions = {cells[0]: HeaderRule(*cells) for _, cells in headers.rows}
        for library in rules.libraries:
            table = _Table(rules, f"api/{library}.tsv", _API, needed=_API.index("status") + 1)
            yield from table.faults
            yield from _sorted(table, key=2)
            for number, cells in table.rows:
                rule = ApiRule(*cells)._replace(library=library)
                names.add(rule.cuda)
                found = [*api_faults(rule), *_contradictions(rules, rule, mapped, actions)]
                yield from (table.at(number, rule.cuda, fault) for fault in found)
        yield from _sorted(headers, key=1)
        for number, cells in headers.rows:
            found = list(header_faults(HeaderRule(*cells)))
            yield from (headers.at(number, cells[0], fault) for fault in found)
        yield from _transforms(rules, names)
        yield from _moves(rules)
        yield from _findings(rules)
        yield from rewrite_faults(rules)
        yield from _flags(rules)
    except RuleError as error:
        yield error.message


class _Table:
    """The lines of a .tsv file that have the right columns, and what is wrong with the others."""

    def __init__(self, rules: RuleSet, name: str, columns: list[str], *, needed: int) -> None:
        self.name = name
        self.rows: list[Row] = []
        self.faults: list[str] = []
        try:
            text = (rules.folder / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self.faults.append(f"rules/{name}: {error}")
            return
        heading, *lines = text.split("\n")
        if heading.split("\t") != columns:
            self.faults.append(f"rules/{name}:1: the columns must be {' '.join(columns)}")
            return
        if lines and lines.pop():
            self.faults.append(f"rules/{name}: the last line has no end")
        for number, line in enumerate(lines, start=2):
            cells = line.split("\t")
            if needed <= len(cells) <= len(columns) and cells[0]:
                self.rows.append((number, cells + [""] * (len(columns) - len(cells))))
            else:
                wanted = f"{needed} to {len(columns)} are needed"
                self.faults.append(self.at(number, cells[0], f"{len(cells)} columns, {wanted}"))

    def at(self, number: int, name: str, fault: str) -> str:
        return f"rules/{self.name}:{number}: {name}: {fault}"


def _sorted(table: _Table, *, key: int) -> Iterator[str]:
    """Whether the rows ascend by their first `key` columns."""
    for (_, one), (number, two) in pairwise(table.rows):
        if one[:key] == two[:key]:
            yield table.at(number, two[0], "appears twice")
        elif one[:key] > two[:key]:
            yield table.at(number, two[0], f"out of order, belongs before {one[0]}")


def _libraries(rules: RuleSet) -> Iterator[str]:
    present = {path.stem for path in (rules.folder / "api").glob("*.tsv")}
    for name in sorted(present ^ rules.libraries.keys()):
        yield f"rules/libraries.toml: {name} is only there or only in rules/api"
    for library in rules.libraries.values():
        if library.policy not in _POLICIES:
            yield f"rules/libraries.toml: {library.name}: unknown policy {library.policy}"
        for link in library.docs:
            if not _LINK.fullmatch(link):
                yield f"rules/libraries.toml: {library.name}: docs: {link}: is no address"
        yield from _patterns(f"rules/libraries.toml: {library.name}: unknown", library.unknown)


def api_faults(rule: ApiRule) -> Iterator[str]:
    """What is wrong with one line of rules/api."""
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
        yield from _version(column, getattr(rule, column))


def _contradictions(
    rules: RuleSet, rule: ApiRule, mapped: dict[str, str], headers: dict[str, HeaderRule]
) -> Iterator[str]:
    """What another line says otherwise; `mapped` collects what each name became so far."""
    elsewhere = mapped.setdefault(rule.cuda, rule.hip)
    if rules.libraries[rule.library].policy == "map" and elsewhere != rule.hip:
        yield f"becomes {rule.hip or 'nothing'}, elsewhere {elsewhere or 'nothing'}"
    header = headers.get(rule.cuda) if rule.kind.endswith("header") else None
    if header and header.action == "map" and header.hip != rule.hip:
        yield f"becomes {rule.hip or 'nothing'}, in headers.tsv {header.hip or 'nothing'}"


def _version(column: str, text: str) -> Iterator[str]:
    if not _VERSION.fullmatch(text):
        yield f"{column} is not a version: {text}"


def header_faults(rule: HeaderRule) -> Iterator[str]:
    """What is wrong with one line of headers.tsv."""
    if rule.action not in _ACTIONS:
        yield f"unknown action {rule.action}"
    if rule.action == "map" and not rule.hip:
        yield "is mapped to nothing"
    yield from _version("hip_added", rule.hip_added)


def _moves(rules: RuleSet) -> Iterator[str]:
    """What is wrong with hip_moves.tsv: lines of one name must come in the order of releases."""
    table = _Table(rules, "hip_moves.tsv", _MOVE, needed=_MOVE.index("change") + 1)
    yield from table.faults
    rows = [(number, MoveRule(*cells)) for number, cells in table.rows]
    for number, rule in rows:
        if rule.change not in CHANGES:
            yield table.at(number, rule.name, f"unknown change {rule.change}")
        if not rule.release or not _VERSION.fullmatch(rule.release):
            yield table.at(number, rule.name, f"release is not a version: {rule.release}")
        if not (rule.to or rule.advice):
            yield table.at(number, rule.name, "has neither a replacement nor advice")
        try:
            for text in (rule.to, rule.advice):
                re.sub(rule.name, text, "")
        except re.error as error:
            yield table.at(number, rule.name, str(error))
    for (_, one), (number, two) in pairwise(rows):
        if (one.name, _order(one)) >= (two.name, _order(two)):
            yield table.at(number, two.name, f"out of order, belongs before {one.name}")


def _order(rule: MoveRule) -> tuple[int, ...]:
    return parse_version(rule.release) if _VERSION.fullmatch(rule.release) else ()


def _transforms(rules: RuleSet, names: set[str]) -> Iterator[str]:
    needed = _TRANSFORM.index("operation") + 1
    table = _Table(rules, "transforms.tsv", _TRANSFORM, needed=needed)
    yield from table.faults
    for (_, one), (number, two) in pairwise(table.rows):
        if one == two:
            yield table.at(number, two[0], "appears twice")
        elif one[:2] > two[:2]:
            yield table.at(number, two[0], f"out of order, belongs before {one[0]}")
    for number, cells in table.rows:
        rule = TransformRule(*cells)
        if rule.cuda not in names:
            yield table.at(number, rule.cuda, "no rule in rules/api")
        for fault in transform_faults(rule):
            yield table.at(number, rule.cuda, fault)


def transform_faults(rule: TransformRule) -> Iterator[str]:
    """What is wrong with one line of transforms.tsv."""
    if rule.operation not in _OPERATIONS:
        yield f"unknown operation {rule.operation}"
    if rule.target not in ("hip", "roc"):
        yield f"unknown target {rule.target}"
    if rule.operation == "retype" and not (rule.note and "=" in rule.value):
        yield "retype without old=new, or without a note"
    if rule.operation == "omit" and not (rule.note and rule.index.isdigit()):
        yield "omit without a number, or without a note"
    if rule.operation == "mutable" and not (rule.index.isdigit() and rule.value.endswith("**")):
        yield "mutable without a number, or without a type"
    is_choice = rule.operation == "choose"
    if is_choice and not (rule.note and rule.index.isdigit() and len(rule.value.split()) == 3):
        yield "choose without a number, a name and two types, or without a note"
    yield from _version("hip_added", rule.hip_added)


def _flags(rules: RuleSet) -> Iterator[str]:
    flags = _Table(rules, "flags.tsv", [*FlagRule._fields], needed=4)
    yield from flags.faults
    yield from _sorted(flags, key=3)
    parsed = [FlagRule(*cells) for _, cells in flags.rows]
    # Build files are reported by the audit's codes too.
    codes = frozenset(path.stem for path in (rules.folder / "checks").glob("**/*.toml"))
    for (number, _), rule in zip(flags.rows, parsed, strict=True):
        for fault in flag_faults(rule, codes):
            yield flags.at(number, rule.flags, fault)
    for index, fault in repeated_flags(parsed):
        yield flags.at(flags.rows[index][0], parsed[index].flags, fault)
    cmake = _Table(rules, "cmake.tsv", [*CMakeRule._fields], needed=3)
    yield from cmake.faults
    yield from _sorted(cmake, key=2)
    for number, cells in cmake.rows:
        for fault in cmake_faults(CMakeRule(*cells)):
            yield cmake.at(number, cells[0], fault)
    places = _Table(rules, "environment.tsv", [*EnvironmentRule._fields], needed=2)
    yield from places.faults
    yield from _sorted(places, key=2)
    for number, cells in places.rows:
        for fault in kind_faults(cells[1]):
            yield places.at(number, cells[0], fault)


def _findings(rules: RuleSet) -> Iterator[str]:
    places: dict[str, str] = {}
    for path in sorted((rules.folder / "checks").glob("**/*.toml")):
        place = f"rules/{path.relative_to(rules.folder).as_posix()}"
        try:
            rule = finding_rule(path, place)
            key_faults = own_key_faults(rule)
        except RuleError as error:
            yield error.message
            continue
        if rule.id != path.stem:
            yield f"{place}: id: is not {path.stem}"
        if places.setdefault(rule.id, place) != place:
            yield f"{place}: id: {rule.id} is in {places[rule.id]} too"
        for key, texts in (("message", rule.message), ("suggestion", rule.suggestion)):
            try:
                list(string.Formatter().parse(texts))
            except ValueError as error:
                yield f"{place}: {key}: {error}"
        for link in rule.links:
            if not _LINK.fullmatch(link):
                yield f"{place}: links: {link}: is no address that starts with https://"
        yield from (f"{place}: {fault}" for fault in _expression_faults(rule))
        yield from (f"{place}: {fault}" for fault in key_faults)
        yield from (f"{place}: verdict: {fault}" for fault in _verdict_faults(rules, rule))


def _expression_faults(rule: FindingRule) -> Iterator[str]:
    faults = list(pattern_faults(rule))
    yield from faults
    for key, text in () if faults else expressions(rule):
        yield from (f"{key}: {fault}" for fault in ambiguous_repeats(text))


def _verdict_faults(rules: RuleSet, rule: FindingRule) -> Iterator[str]:
    for verdict in rule.verdict:
        for feature in (*(verdict.all or ()), *(verdict.any or ()), *(verdict.none or ())):
            if feature not in target_table(rules)["feature"]:
                yield f"no GPU of rules/targets.toml has a feature {feature}"


def _patterns(place: str, *texts: str) -> Iterator[str]:
    for text in texts:
        try:
            re.compile(text)
        except re.error as error:
            yield f"{place}: {text}: {error}"
