"""docs/systems.md: each example gives the findings that its line names."""

from __future__ import annotations

import re

import pytest

from hipport.model import FileReport
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import audit_bytes, kind_of
from hipport.source.convert.pipeline import default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import Outcome, language_of
from tests.support.folders import CHECKOUT

_ROW = re.compile(
    r"\| (?P<system>[^|]+) \| `(?P<file>[^`]+)` \| `(?P<code>[^`]+)` \| (?P<found>.+) \|"
)
ROWS = [
    each.groupdict() for each in _ROW.finditer((CHECKOUT / "docs/systems.md").read_text("utf-8"))
]


def test_every_line_of_the_table_is_read() -> None:
    lines = (CHECKOUT / "docs/systems.md").read_text("utf-8").splitlines()
    assert len(ROWS) == sum(line.startswith("|") for line in lines) - 2


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['system']} {row['code'][:30]}")
def test_the_example_has_its_findings(row: dict[str, str]) -> None:
    rules = load(is_audit=True)
    language = language_of(row["file"])
    outcome = Outcome(FileReport(row["file"], language or kind_of(row["file"]), "audited"))
    decisions = Decisions(rules, default_options(rules))
    code = row["code"].replace("; ", "\n") if row["file"].endswith(".py") else row["code"]
    audit_bytes(f"{code}\n".encode(), language, decisions, outcome)
    assert set(row["found"].split(", ")) <= {each.code for each in outcome.findings}
