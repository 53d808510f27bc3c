"""Every example that a rule of rules/checks carries: the bad ones are found, the good ones not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hipport.model import Finding
from hipport.prebuilt.facts import examine
from hipport.prebuilt.findings import finding_of
from hipport.source.audit import findings_in, kind_of
from hipport.source.decide import Decisions
from hipport.source.pipeline import default_options
from hipport.source.project import language_of
from hipport.source.rules import FindingRule, load, parse_version

PREBUILT = Path(__file__).parents[1] / "fixtures/prebuilt"
CATALOGUE = Path(__file__).parents[1] / "fixtures" / "audit" / "catalogue.txt"
RULES = load(is_audit=True)
EXAMPLES = [
    pytest.param(rule, example, is_bad, id=f"{rule.id}-{'bad' if is_bad else 'good'}{number}")
    for rule in RULES.findings.values()
    for is_bad in (True, False)
    for number, example in enumerate(rule.data.get("bad" if is_bad else "good", ()))
]


def found_in(example: dict[str, Any]) -> list[Finding]:
    """The findings of an example, read as the file whose name it gives."""
    name = example["file"]
    if "code" not in example:
        binary = finding_of(examine(PREBUILT / name, name, RULES), name, RULES)
        return [binary] if binary else []
    data = example["code"].encode()
    options = default_options(RULES)
    if "rocm" in example:
        options = options._replace(rocm=parse_version(example["rocm"]))
    if "targets" in example:
        options = options._replace(targets=tuple(example["targets"]))
    language = language_of(name)
    decisions = Decisions(RULES, options)
    return findings_in(data, name, language or kind_of(name), language, decisions).findings


@pytest.mark.parametrize(("rule", "example", "is_bad"), EXAMPLES)
def test_example(rule: FindingRule, example: dict[str, Any], is_bad: bool) -> None:
    assert set(example) <= {"file", "code", "line", "rocm", "targets"}
    lines = [each.start.line for each in found_in(example) if each.code == rule.id]
    assert bool(lines) == is_bad
    if "line" in example:
        assert example["line"] in lines


def test_every_rule_of_the_audit_carries_both_kinds_of_example() -> None:
    ours = {path.stem for path in (RULES.folder / "checks").glob("*/*.toml")}
    lacking = [
        code for code in sorted(ours) if not {"bad", "good"} <= RULES.findings[code].data.keys()
    ]
    assert lacking == []


def test_every_finding_of_the_catalogue_has_a_rule() -> None:
    catalogue = CATALOGUE.read_text(encoding="utf-8").split()
    assert len(catalogue) == 295
    assert [code for code in catalogue if code not in RULES.findings] == []
