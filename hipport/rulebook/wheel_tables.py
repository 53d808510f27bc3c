"""Writes the one file in which a wheel has the tables of rules/, for hipport/rulebook/tables.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from hipport.rulebook.finding_rules import FindingRule, finding_table
from hipport.rulebook.known_findings import FindingIndex
from hipport.rulebook.known_names import parts_of
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.tables import (
    FINDING_INDEX,
    HEADERS,
    NAMES,
    NAMESPACES,
    REWRITES,
    rows_of,
)
from hipport.rulebook.typed import read_toml


def wheel_tables(folder: Path, more: Mapping[str, object] = MappingProxyType({})) -> bytes:
    """All tables of a folder, findings without their examples; what is worked out; and `more`."""
    rules = RuleSet(folder)
    tables: dict[str, object] = {
        HEADERS: list(rows_of((folder / HEADERS).read_bytes().decode())),
        REWRITES: rules.rewrites,
        NAMES: parts_of(rules.names),
        NAMESPACES: rules.namespaces,
        **dict(_indexes(folder)),
    }
    for path in sorted(folder.rglob("*.toml")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(f"{REWRITES}/"):
            continue
        is_finding = name.startswith("checks/")
        table = (finding_table if is_finding else read_toml)(path, f"rules/{name}")
        # Keys in the order of the structure are found without a search for each.
        tables[name] = dict(sorted(table.items(), key=_place_in_finding)) if is_finding else table
    tables |= more
    # A table is bytes within bytes: none has to be read to find where the next one begins.
    return msgspec.msgpack.encode(
        {name: msgspec.msgpack.encode(table) for name, table in tables.items()}
    )


def _indexes(folder: Path) -> Iterator[tuple[str, FindingIndex]]:
    """The indexes of the findings of a conversion and of an audit."""
    for kind, is_audit in (("convert", False), ("audit", True)):
        yield f"{FINDING_INDEX} {kind}", RuleSet(folder, is_audit=is_audit).findings.index


def _place_in_finding(item: tuple[str, object]) -> int:
    return FindingRule.__struct_fields__.index(item[0])
