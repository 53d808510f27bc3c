"""The rules of a wheel, which reads its TOML files from one file, are those of the checkout."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hipport.rulebook import finding_rules, rules, tables
from hipport.rulebook.finding_rules import FindingRule, example_tables
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.wheel_tables import wheel_tables
from tests.support.folders import CHECKOUT

RULES = CHECKOUT / "rules"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The rules as a wheel has them."""
    folder = tmp_path / "rules"
    shutil.copytree(RULES, folder)
    tables.compact_file(folder).write_bytes(wheel_tables(folder))
    for module in (finding_rules, rules, tables):
        monkeypatch.setattr(module, "rules_folder", lambda: folder)
    tables._compact.cache_clear()
    yield folder
    tables._compact.cache_clear()


def fields(rule: FindingRule) -> dict[str, Any]:
    return msgspec.structs.asdict(rule) | {"file": "", "structures": {}}


@pytest.mark.parametrize("is_audit", [False, True])
def test_a_wheel_has_the_same_findings(wheel: Path, is_audit: bool) -> None:
    from_toml, compact = (RuleSet(each, is_audit=is_audit) for each in (RULES, None))
    assert list(from_toml.findings) == list(compact.findings)
    for code, rule in from_toml.findings.items():
        assert fields(compact.findings[code]) == fields(rule)
    assert compact.codes == from_toml.codes


def test_a_wheel_has_the_same_words_and_rewrites(wheel: Path) -> None:
    from_toml, compact = RuleSet(RULES), RuleSet()
    for each in (from_toml, compact):
        each.read_all()
        # Texts are read as they are asked for, which the names of a wheel do not.
        each._files["api"] = sorted(each._files["api"].items())
        each._files["names"] = list(each.names.items())
    shown = [repr([*sorted(each._files.items()), each.rewrites]) for each in (from_toml, compact)]
    assert shown[0] == shown[1]


def test_a_wheel_has_the_same_namespaces_and_headers(wheel: Path) -> None:
    assert RuleSet().namespaces == RuleSet(RULES).namespaces
    assert RuleSet().headers == RuleSet(RULES).headers
    assert list(RuleSet().table("headers.tsv")) == list(RuleSet(RULES).table("headers.tsv"))


def test_a_wheel_has_the_same_names(wheel: Path) -> None:
    from_toml, compact = RuleSet(RULES).names, RuleSet().names
    assert compact["cudaMalloc"] == "runtime"
    assert "cudaMallok" not in compact
    assert compact.among({"cudaFree", "freed", "free"}) == {"cudaFree"}
    assert list(compact.items()) == list(from_toml.items())
    assert len(compact) == len(from_toml)


@pytest.mark.parametrize("is_audit", [False, True])
def test_a_wheel_knows_which_findings_to_read(wheel: Path, is_audit: bool) -> None:
    from_toml, compact = (RuleSet(each, is_audit=is_audit).findings for each in (RULES, None))
    assert compact.index == from_toml.index
    assert compact.get("HP-NONE-001") is None
    assert not compact._found
    found = compact.triggered_by({"__shfl_sync"}, {"warpSize"}, is_cuda=True)
    assert [each.id for each in found] == [
        each.id for each in from_toml.triggered_by({"__shfl_sync"}, {"warpSize"}, is_cuda=True)
    ]
    assert 0 < len(compact._found) < 30


def test_a_wheel_needs_the_toml_files_for_examples_only(wheel: Path) -> None:
    (wheel / "checks/HP-WARP-003.toml").write_text('bad = [{ code = "an example" }]')
    rule = RuleSet().findings["HP-WARP-003"]
    assert rule.id == "HP-WARP-003"
    assert example_tables(rule, "bad") == [{"code": "an example"}]


def test_a_folder_that_is_named_is_read_as_it_is(wheel: Path) -> None:
    (wheel / "edition.toml").write_text('rocm = "1.0"\ndate = "2000-01-01"\n')
    assert RuleSet(wheel).edition.rocm == "1.0"
    assert RuleSet().edition.rocm != "1.0"


def test_a_checkout_has_no_such_file() -> None:
    assert not tables.compact_file(RULES).exists()
