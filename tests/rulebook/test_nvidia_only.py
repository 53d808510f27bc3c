"""rules/nvidia_only.tsv: names that findings ask for by their kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import RuleError
from hipport.rulebook.finding_rules import finding_rule
from hipport.rulebook.nvidia_only import NvidiaOnly
from hipport.rulebook.rules import RuleSet

RULES = RuleSet(is_audit=True)
ROWS = [NvidiaOnly(*row) for row in RULES.table("nvidia_only.tsv")]


def test_each_name_is_there_once_and_in_order() -> None:
    names = [(each.kind, each.name) for each in ROWS]
    assert names == sorted(set(names))


def test_each_kind_is_asked_for() -> None:
    asked = {kind for rule in RULES.findings.values() for kind in rule.known}
    assert asked == {each.kind for each in ROWS}


def test_a_module_has_the_advice_of_its_package() -> None:
    finding = RULES.findings["HP-PY-060"].finding("a.py", "pytket.extensions.cutensornet")
    package = next(each for each in ROWS if each.name == "pytket-cutensornet")
    assert finding.suggestion == package.instead


def test_a_package_that_is_looked_for_has_its_advice() -> None:
    rule = RULES.findings["HP-CMAKE-004"]
    package = next(each for each in ROWS if (each.kind, each.name) == ("cmake", "NCCL"))
    assert rule.finding("a.cmake", "find_package(NCCL").suggestion == package.instead
    assert rule.finding("a.cmake", "find_package(CUDAToolkit").suggestion == rule.suggestion


def test_a_finding_cannot_ask_for_a_kind_without_names(tmp_path: Path) -> None:
    path = tmp_path / "HP-A-001.toml"
    path.write_text(
        'id = "HP-A-001"\nseverity = "review"\ntitle = "t"\nmessage = "m"\nknown = ["wheel"]\n'
    )
    with pytest.raises(RuleError, match="known: 'wheel' is unknown"):
        finding_rule(path, "here")
