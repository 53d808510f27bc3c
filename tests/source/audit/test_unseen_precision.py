"""The sample and the places of unseen trees: whole, and as the page says."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.precision.known_trees import TREES, line_hash
from benchmarks.precision.unseen_trees import (
    CONVERTED,
    TABLE,
    figures,
    lost,
    names,
    read_findings,
    read_places,
    read_ported,
)
from hipport.rulebook.load import load
from tests.support.folders import CHECKOUT

FINDINGS = read_findings()
PLACES = read_places()
LARGE = ("fairseq", "pyvkfft", "torch_harmonics")
"""43 MB of archives for 21 places: `python -m benchmarks.precision check` has them too."""


def test_the_sample_is_whole() -> None:
    assert len(FINDINGS) >= 300
    assert len({each.tree for each in FINDINGS}) >= 10
    assert {each.tree for each in FINDINGS} <= set(names())
    assert {each.label for each in FINDINGS} == {"true", "false"}
    assert {each.useful for each in FINDINGS} == {"yes", "no"}
    assert {each.part for each in FINDINGS} == {"own", "tests", "vendored"}
    assert all(each.reason for each in FINDINGS)
    assert [each for each in FINDINGS if each.label == "false" and each.useful == "yes"] == []
    spots = Counter((each.tree, each.file, each.line, each.code) for each in FINDINGS)
    assert spots.most_common(1)[0][1] == 1


def test_the_places_are_whole() -> None:
    assert len(PLACES) >= 150
    assert len({each.tree for each in PLACES}) >= 10
    assert {each.tree for each in PLACES} <= set(names())
    known = load(is_audit=True).findings.keys() | {CONVERTED, ""}
    assert {each.after for each in PLACES} <= known
    assert {each.before for each in PLACES} <= known


def test_the_trees_are_others_than_those_that_served_to_find_noise() -> None:
    assert set(names()).isdisjoint(TREES)


def test_the_documentation_says_what_the_labels_say() -> None:
    page = (CHECKOUT / "docs" / "audit.md").read_text(encoding="utf-8")
    assert "\n".join(figures()) in page


def test_every_finding_of_ported_code_has_a_label() -> None:
    assert {each.label for each in read_ported()} == {"true", "false"}
    assert all(each.reason for each in read_ported())


@pytest.mark.real
@pytest.mark.parametrize("tree", [each for each in names() if each not in LARGE])
def test_the_places_are_reported(tree: str) -> None:
    judged = [(each.file, each.line, each.hash) for each in FINDINGS if each.tree == tree]
    judged += [(each.file, each.line, each.hash) for each in PLACES if each.tree == tree]
    moved = [
        (file, line)
        for file, line, hash in judged
        if line_hash(tree, f"{tree}/{file}", max(line, 1), TABLE) != hash
    ]
    assert moved == []
    assert lost(tree) == []
