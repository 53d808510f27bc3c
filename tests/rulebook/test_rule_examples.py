"""Every example that a rule of rules/checks carries: the bad ones are found, the good ones not."""

from __future__ import annotations

import pytest

from hipport.commands.ruleexamples import Example, examples, fault
from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from tests.support.example_texts import texts, written_down
from tests.support.folders import FIXTURES

CATALOGUE = FIXTURES / "audit" / "catalogue.txt"
RULES = load(is_audit=True)
TEXTS = written_down()
EXAMPLES = [
    pytest.param(example, id=f"{rule.id}-{'bad' if example.is_bad else 'good'}{example.number}")
    for rule in RULES.findings.values()
    for example in examples(rule)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: Example) -> None:
    assert set(example.table) <= {"file", "code", "line", "rocm", "targets", "binary", "old"}
    assert fault(example, RULES) == ""
    if example.place in TEXTS:
        assert texts(example, RULES) == TEXTS[example.place]


@pytest.mark.slow
def test_lines_may_end_as_on_windows() -> None:
    """What is found in a text does not depend on how its lines end."""
    faults = []
    for each in (each for rule in RULES.findings.values() for each in examples(rule)):
        code = each.table.get("code", "")
        if not each.needs_binaries and "\r" not in code:
            table = {**each.table, "code": code.replace("\n", "\r\n")}
            if wrong := fault(each._replace(table=table), RULES):
                faults.append(f"{each.place} {wrong}")
    assert faults == []


def test_texts_are_of_examples() -> None:
    assert TEXTS.keys() <= {
        each.place for rule in RULES.findings.values() for each in examples(rule)
    }


def test_every_rule_carries_both_kinds_of_example() -> None:
    lacking = {
        code
        for code, rule in RULES.findings.items()
        if not all(example_tables(rule, word) for word in ("bad", "good"))
    }
    assert {code.rpartition("-")[0] for code in lacking - {"HP-WARP-030"}} == OF_A_RUN


OF_A_RUN = {
    "HP-BUILD",
    "HP-EDIT",
    "HP-LIMIT",
    "HP-MERGE",
    "HP-PORT",
    "HP-SEM",
    "HP-SUPPRESS",
    "HP-USE",
    "HP-VENDOR",
    "HP-VER",
}
"""Findings about a whole run, which no single file shows; so is HP-WARP-030."""
OF_OUR_OWN = {"HP-EDIT-001", "HP-LIMIT-001", "HP-MERGE-001", "HP-MERGE-002", "HP-SUPPRESS-001"}
"""Findings about what this program did: nobody else says anything about that."""


def test_every_finding_says_where_others_say_more() -> None:
    without = {code for code, rule in RULES.findings.items() if not rule.links}
    assert without == OF_OUR_OWN


def test_every_finding_of_the_catalogue_has_a_rule() -> None:
    catalogue = CATALOGUE.read_text(encoding="utf-8").split()
    assert len(catalogue) == 300
    assert [code for code in catalogue if code not in RULES.findings] == []
