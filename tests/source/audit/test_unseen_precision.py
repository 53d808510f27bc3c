"""The sample and the places of unseen trees: whole, and as the page says."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest

from benchmarks.precision.figures import figures, summary
from benchmarks.precision.known_trees import TREES, line_hash
from benchmarks.precision.unseen_trees import (
    CONVERTED,
    ROUNDS,
    Round,
    lost,
    names,
    read_findings,
    read_places,
    read_ported,
)
from hipport.rulebook.load import load
from tests.support.folders import CHECKOUT

LARGE = (
    "fairseq", "pyvkfft", "torch_harmonics", "devito", "flashinfer-python", "s2fft", "pufferlib",
)  # fmt: skip
"""215 MB of archives for 122 places: `python -m benchmarks.precision check` has them too."""
each_round = pytest.mark.parametrize(
    "of",
    ROUNDS,
    ids=[each.folder.name for each in ROUNDS],
)


def all_trees(of: Round) -> set[str]:
    debian = of.folder / "debian.toml"
    return {*names(of), *(tomllib.loads(debian.read_text()) if debian.exists() else ())}


def judged(of: Round) -> set[str]:
    """The trees of a sample but those of ported code."""
    return {each.tree for each in read_findings(of)} | {each.tree for each in read_places(of)}


def fetched() -> list[tuple[Round, str]]:
    """The trees whose places are looked up in their sources."""
    return [(of, each) for of in ROUNDS for each in names(of) if each in judged(of) - {*LARGE}]


@each_round
def test_the_sample_is_whole(of: Round) -> None:
    sample = read_findings(of)
    assert len(sample) >= 150
    assert len({each.tree for each in sample}) >= 10
    assert {each.tree for each in sample} <= all_trees(of)
    assert {each.label for each in sample} == {"true", "false"}
    assert {each.useful for each in sample} == {"yes", "no"}
    assert {each.part for each in sample} == {"own", "tests", "vendored"}
    assert all(each.reason for each in sample)
    assert [each for each in sample if each.label == "false" and each.useful == "yes"] == []
    spots = Counter((each.tree, each.file, each.line, each.code) for each in sample)
    assert spots.most_common(1)[0][1] == 1


@each_round
def test_the_places_are_whole(of: Round) -> None:
    places = read_places(of)
    assert len(places) >= 150
    assert len({each.tree for each in places}) >= 10
    assert {each.tree for each in places} <= all_trees(of)
    known = load(is_audit=True).findings.keys() | {CONVERTED, ""}
    assert {each.after for each in places} <= known
    assert {each.before for each in places} <= known


def test_no_tree_is_in_two_samples() -> None:
    counts = Counter([*TREES, *(tree for of in ROUNDS for tree in all_trees(of))])
    assert [tree for tree, count in counts.items() if count > 1] == []


def test_the_documentation_has_a_row_for_each_sample() -> None:
    page = (CHECKOUT / "docs" / "precision.md").read_text(encoding="utf-8")
    assert "\n".join(summary(ROUNDS)) in page


@each_round
def test_the_page_of_a_sample_says_what_its_labels_say(of: Round) -> None:
    page = (of.folder / "README.md").read_text(encoding="utf-8")
    assert "\n".join(figures(of)) in page


@pytest.mark.parametrize("of", [each for each in ROUNDS if each.lines])
def test_every_finding_of_ported_code_has_a_label(of: Round) -> None:
    assert {each.label for each in read_ported(of)} <= {"true", "false"}
    assert {each.after for each in read_ported(of)} <= {"reported", ""}
    assert all(each.reason for each in read_ported(of))


@pytest.mark.real
@pytest.mark.parametrize(
    ("of", "tree"),
    fetched(),
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_the_places_are_reported(of: Round, tree: str) -> None:
    rows = [(each.file, each.line, each.hash) for each in read_findings(of) if each.tree == tree]
    rows += [(each.file, each.line, each.hash) for each in read_places(of) if each.tree == tree]
    moved = [
        (file, line)
        for file, line, hash in rows
        if line_hash(tree, f"{tree}/{file}", max(line, 1), of.table) != hash
    ]
    assert moved == []
    assert lost(tree, of) == []
