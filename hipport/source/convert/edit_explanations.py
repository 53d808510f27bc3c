"""Explains each edit: its rule, evidence, source and versions."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from pathlib import Path
from typing import Any

from hipport.model import Edit, Explanation, Position
from hipport.rulebook.rules import RuleSet
from hipport.source.names.counterparts import header_of_copy

_VERSIONS = (
    "cuda_added", "cuda_deprecated", "cuda_removed", "hip_added", "hip_deprecated", "hip_removed",
)  # fmt: skip


def explain(data: bytes, edits: list[Edit], path: str, rules: RuleSet) -> list[Explanation]:
    """An explanation for each edit of a file, in the order of the file."""
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == 0x0A)]

    def position(offset: int) -> Position:
        line = bisect_right(starts, offset)
        text = data[starts[line - 1] : offset].decode("utf-8", "replace")
        return Position(line, len(text.removeprefix("\ufeff")) + 1)

    return [
        Explanation(
            path=path,
            start=position(edit.span.start),
            end=position(edit.span.end),
            old=data[edit.span.start : edit.span.end].decode("utf-8", "replace"),
            new=edit.new.decode("utf-8", "replace"),
            rule=edit.rule,
            evidence=edit.evidence,
            **_facts(edit.rule, data[edit.span.start : edit.span.end].decode("latin-1"), rules),
        )
        for edit in sorted(edits, key=lambda each: each.span)
    ]


def _facts(rule: str, old: str, rules: RuleSet) -> dict[str, Any]:
    """What the rulebook says about a rule: its places, source, reason, proof and versions."""
    if rule.endswith(".tsv"):
        return _row(rule, old.strip(), rules)
    kind, _, name = rule.partition(":")
    if kind == "api":
        return _api(name, rules)
    included = name.strip('<>"')
    header = rules.headers.get(included) or header_of_copy(rules.headers, included)
    if kind == "header" and header:
        places = _places(rules, "headers.tsv", header.cuda)
        versions = {"hip_added": header.hip_added} if header.hip_added else {}
        return {
            "places": places,
            "source": header.source,
            "why": header.note,
            "proof": header.evidence,
            "versions": versions,
        }
    if kind in ("check", "guards") and name in rules.findings:
        found = sorted((rules.folder / "checks").rglob(f"{name}.toml"))
        places = tuple(str(path.relative_to(rules.folder.parent)) for path in found)
        return {"places": places, "why": rules.findings[name].title}
    if kind == "rewrite" and name in rules.edits:
        edit = rules.edits[name]
        place = next(rule.place for rule in rules.rewrites if name in rule.edits)
        why = f"{edit.why} ({edit.safety})"
        return {"places": (place,), "source": edit.source, "why": why}
    known = _others(rules.folder).get(rule)
    return {"places": ("rules/explain.toml",), **known} if known else {}


def _api(name: str, rules: RuleSet) -> dict[str, Any]:
    rule = rules.api(name)
    if rule is None:
        return {}
    places = _places(rules, f"api/{rule.library}.tsv", name)
    transforms = rules.transforms.of(name, "hip")
    if transforms:
        places += _places(rules, "transforms.tsv", name)
    columns = {key: str(getattr(rule, key)) for key in _VERSIONS}
    return {
        "places": places,
        "source": rule.source,
        "why": "; ".join(filter(None, [rule.note, *(each.note for each in transforms)])),
        "proof": rule.evidence,
        "versions": {key: value for key, value in columns.items() if value},
    }


def _row(table: str, old: str, rules: RuleSet) -> dict[str, Any]:
    """What a table for build files says about a word; only the table if it has no such word."""
    places = _places(rules, table, old)
    if not places:
        return {"places": (f"rules/{table}",)}
    heading, *lines = (rules.folder / table).read_text("utf-8").splitlines()
    said = [dict(zip(heading.split("\t"), line.split("\t"), strict=False)) for line in lines]
    rows = [row for row in said if next(iter(row.values())) == old]
    return {
        "places": places,
        "source": "; ".join(dict.fromkeys(row.get("source", "") for row in rows)),
        "why": "; ".join(dict.fromkeys(filter(None, (row.get("note", "") for row in rows)))),
    }


def _places(rules: RuleSet, table: str, name: str) -> tuple[str, ...]:
    """`rules/api/runtime.tsv:12` for each line of a table that speaks of a name."""
    return tuple(f"rules/{table}:{number}" for number in _lines(rules.folder / table).get(name, ()))


@cache
def _lines(table: Path) -> dict[str, list[int]]:
    """First column -> the numbers of its lines."""
    found: dict[str, list[int]] = {}
    if table.is_file():
        for number, line in enumerate(table.read_text("utf-8").split("\n"), 1):
            found.setdefault(line.partition("\t")[0], []).append(number)
    return found


@cache
def _others(folder: Path) -> dict[str, dict[str, str]]:
    import tomllib

    path = folder / "explain.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
