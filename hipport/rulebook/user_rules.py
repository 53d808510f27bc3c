"""User rules: folders laid out like rules/, which take precedence over the installed rules.

A line about a name, header, or argument replaces the installed line for it. A finding's
code and a library's name must be new: `severity` and `ignore` in the configuration change findings.
"""

from __future__ import annotations

import json
import re
import string
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hipport.errors import HipportError, RuleError
from hipport.files import read
from hipport.named_tuples import NamedTuple
from hipport.rulebook.check.rule_files import api_faults, header_faults, transform_faults
from hipport.rulebook.finding_rules import OF_PYTHON, FindingRule, finding_rule
from hipport.rulebook.model import ApiRule, HeaderRule, TransformRule
from hipport.rulebook.pattern_modules import own_key_faults
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import Library
from hipport.schema import faults, meant

_LARGEST = 16 << 20
_SCHEMAS = Path(__file__).with_name("schemas")
_API = ApiRule._fields[:-1]
_TRANSFORM = tuple(TransformRule.__annotations__)
# What a name has for evidence that no header of ROCm declares, but its user vouches for.
_EVIDENCE = "user"
_NEED_HINTS = ("patterns", *OF_PYTHON)
_PATTERNS = ("headers", "patterns", *OF_PYTHON, "packages", "with_import", "only_if", "unless")

Row = tuple[str, list[str]]
"""Where a line is (`my-rules/headers.tsv:3: name`) and its cells."""


class UserRules(NamedTuple):
    """What one folder says; `faults` name file, line or key, and reason."""

    libraries: dict[str, Library]
    api: dict[str, list[ApiRule]]
    headers: dict[str, HeaderRule]
    transforms: dict[tuple[str, str], list[TransformRule]]
    findings: dict[str, FindingRule]
    for_conversion: frozenset[str]
    """The findings that a conversion reports too: those in no folder below checks/."""
    faults: list[str]


def read_user_rules(folder: Path, installed: RuleSet) -> UserRules:
    """The rules of a folder and what is wrong with them; RuleError if there is no such folder."""
    if not folder.is_dir():
        raise RuleError(f"{folder}: no such folder", remedy="hipport help user-rules")
    return _Reader(folder, installed).all()


class _Reader:
    def __init__(self, folder: Path, installed: RuleSet) -> None:
        self.folder = folder
        self.installed = installed
        self.faults: list[str] = []

    def all(self) -> UserRules:
        libraries = self._libraries()
        api = {path.stem: self._api(path, libraries) for path in self._files("api/*.tsv")}
        headers = {}
        for place, cells in self._rows("headers.tsv", HeaderRule._fields, ("cuda", "action")):
            header = HeaderRule(*cells)
            self._record(place, header_faults(header))
            headers[header.cuda] = header
        transforms: dict[tuple[str, str], list[TransformRule]] = {}
        needed = ("cuda", "target", "operation")
        for place, cells in self._rows("transforms.tsv", _TRANSFORM, needed):
            transform = TransformRule(*cells)
            self._record(place, transform_faults(transform))
            transforms.setdefault((transform.cuda, transform.target), []).append(transform)
        findings: dict[str, FindingRule] = {}
        converting = set()
        for path in self._files("checks/**/*.toml"):
            rule = self._finding(path)
            if rule and rule.id in findings:
                self._record(self._place(path), ["id: another file has it too"])
            elif rule:
                findings[rule.id] = rule
                if path.parent.name == "checks":
                    converting.add(rule.id)
        if not (libraries or api or headers or transforms or findings or self.faults):
            self._record(str(self.folder), ["has no rules: no api/*.tsv, checks/*.toml and so on"])
        return UserRules(
            libraries, api, headers, transforms, findings, frozenset(converting), self.faults
        )

    def _files(self, pattern: str) -> list[Path]:
        return sorted(path for path in self.folder.glob(pattern) if path.is_file())

    def _place(self, path: Path) -> str:
        return str(self.folder / path.relative_to(self.folder))

    def _record(self, place: str, reasons: list[str] | Iterator[str]) -> bool:
        """Record what is wrong at a place; returns whether anything was."""
        found = [f"{place}: {reason}" for reason in reasons]
        self.faults += found
        return bool(found)

    def _text(self, path: Path) -> str | None:
        try:
            return read(path, _LARGEST).decode("utf-8-sig")
        except HipportError as error:
            self.faults.append(error.message)
        except UnicodeDecodeError as error:
            self._record(self._place(path), [str(error)])
        return None

    def _toml(self, path: Path, schema: dict[str, Any]) -> dict[str, Any] | None:
        text = self._text(path)
        try:
            table = None if text is None else tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            self._record(self._place(path), [str(error)])
            return None
        if table is None or self._record(self._place(path), faults(table, schema)):
            return None
        return table

    def _libraries(self) -> dict[str, Library]:
        path = self.folder / "libraries.toml"
        tables = self._toml(path, rule_schema("libraries")) if path.is_file() else None
        found = {}
        for name, table in (tables or {}).items():
            place = f"{self._place(path)}: {name}"
            if name in self.installed.libraries:
                self._record(
                    place, ["the rulebook has it: put lines into api/ without a table here"]
                )
            self._record(f"{place}.unknown", _pattern_faults([table.get("unknown", "")]))
            stems = tuple(table.get("stems", ()))
            found[name] = Library(name=name, **{**table, "stems": stems})
        return found

    def _api(self, path: Path, libraries: dict[str, Library]) -> list[ApiRule]:
        known = [*self.installed.libraries, *libraries]
        if path.stem not in known:
            reason = f"no library {path.stem}{meant(path.stem, known)}: add a table for it"
            self._record(self._place(path), [f"{reason} to libraries.toml"])
        found = []
        for place, cells in self._rows(f"api/{path.name}", _API, ("cuda", "kind", "status")):
            rule = ApiRule(*cells)
            rule = rule._replace(library=path.stem, evidence=rule.evidence or _EVIDENCE)
            self._record(place, api_faults(rule))
            found.append(rule)
        return found

    def _rows(self, name: str, columns: tuple[str, ...], needed: tuple[str, ...]) -> Iterator[Row]:
        """The lines of a .tsv file in the order of `columns`; its heading names some of them."""
        path = self.folder / name
        text = self._text(path) if path.is_file() else None
        if text is None:
            return
        place = self._place(path)
        heading, *lines = text.splitlines() or [""]
        given = heading.split("\t")
        wrong = [
            f"no such column: {each}{meant(each, [*columns])}"
            for each in given
            if each not in columns
        ]
        wrong += [f"the column {each} is missing" for each in needed if each not in given]
        wrong += [f"the column {each} appears twice" for each in given if given.count(each) > 1][:1]
        if self._record(f"{place}:1", wrong):
            return
        seen: set[tuple[str, ...]] = set()
        for number, line in enumerate(lines, start=2):
            cells = line.split("\t")
            row = dict(zip(given, cells, strict=False))
            at = f"{place}:{number}: {row.get('cuda') or '?'}"
            empty = [each for each in needed if not row.get(each)]
            if len(cells) > len(given):
                self._record(at, [f"{len(cells)} columns, the heading has {len(given)}"])
            elif empty:
                self._record(at, [f"{empty[0]} is empty"])
            elif tuple(cells) in seen:
                self._record(at, ["appears twice"])
            else:
                seen.add(tuple(cells))
                yield at, [row.get(column, "") for column in columns]

    def _finding(self, path: Path) -> FindingRule | None:
        schema = rule_schema("finding")
        text = self._text(path)
        if text is None:
            return None
        try:
            has_check = "check" in tomllib.loads(text)
        except (ValueError, RecursionError):
            has_check = False
        # A check reads keys of its own.
        table = self._toml(path, {**schema, "additionalProperties": has_check})
        place = self._place(path)
        if table is None or self._record(place, self._meaning_faults(path, table)):
            return None
        try:
            rule = finding_rule(path, place)
            self._record(place, own_key_faults(rule))
        except RuleError as error:
            self.faults.append(error.message)
            return None
        return rule

    def _meaning_faults(self, path: Path, table: dict[str, Any]) -> Iterator[str]:
        """What a schema cannot check."""
        code = table["id"]
        if code != path.stem:
            yield f"id: {code} is not the name of the file"
        if code in self.installed.codes:
            yield f"id: {code} is a code of the rulebook"
        for key in ("message", "suggestion"):
            yield from _placeholder_faults(key, table.get(key, ""))
        for key in _PATTERNS:
            value = table.get(key, ())
            yield from _pattern_faults([value] if isinstance(value, str) else value, key)
        needs = [key for key in _NEED_HINTS if key in table]
        if needs and not table.get("hints") and "check" not in table:
            yield f"hints: is missing: {needs[0]} needs a text that each match's file contains"
        for word in ("bad", "good"):
            for index, example in enumerate(table.get(word, ())):
                if "code" not in example:
                    yield f"{word}[{index}].code: is missing"
        kinds = {"cuda", "python", "binary", *self.installed.file_kinds.other_files.values()}
        for kind in table.get("languages", ()):
            if kind not in kinds:
                yield f"languages: no kind of files {kind}{meant(kind, sorted(kinds))}"


def _placeholder_faults(key: str, text: str) -> Iterator[str]:
    try:
        fields = [each[1:] for each in string.Formatter().parse(text) if each[1] is not None]
    except ValueError as error:
        yield f"{key}: {error}"
        return
    for name, form, conversion in fields:
        if name != "symbol":
            yield f"{key}: nothing fills in {{{name}}}"
        elif form or conversion:
            yield f"{key}: write {{symbol}} alone, without a format"


def _pattern_faults(texts: list[str] | tuple[str, ...], key: str = "") -> Iterator[str]:
    for text in texts:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", FutureWarning)  # What re may take otherwise one day.
                re.compile(text)
        except (re.error, RecursionError, OverflowError, FutureWarning) as error:
            yield f"{key}: {text}: {error}" if key else f"{text}: {error}"


def rule_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a rule file: `finding` or `libraries`."""
    found: dict[str, Any] = json.loads((_SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    return found
