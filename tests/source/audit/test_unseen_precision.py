"""The sample and the places of unseen trees: whole, and as the page says."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest

from benchmarks.precision.known_trees import TREES, line_hash
from benchmarks.precision.unseen_trees import (
    CONVERTED,
    EIGHTH,
    ELEVENTH,
    FIFTH,
    FIRST,
    FOURTH,
    NINTH,
    ROUNDS,
    SECOND,
    SEVENTH,
    SIXTH,
    TENTH,
    THIRD,
    Round,
    figures,
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


@each_round
def test_the_sample_is_whole(of: Round) -> None:
    sample = read_findings(of)
    assert len(sample) >= (150 if of is SIXTH else 300)
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


def test_the_trees_are_others_than_those_that_served_to_find_noise() -> None:
    assert all_trees(FIRST).isdisjoint(TREES)
    assert all_trees(SECOND).isdisjoint((*TREES, *all_trees(FIRST)))
    assert all_trees(THIRD).isdisjoint((*TREES, *all_trees(FIRST), *all_trees(SECOND)))
    before = (*all_trees(FIRST), *all_trees(SECOND), *all_trees(THIRD))
    assert all_trees(FOURTH).isdisjoint((*TREES, *before))
    assert all_trees(FIFTH).isdisjoint((*TREES, *before, *all_trees(FOURTH)))
    every = (*TREES, *before, *all_trees(FOURTH), *all_trees(FIFTH))
    assert all_trees(SIXTH).isdisjoint(every)
    assert all_trees(SEVENTH).isdisjoint((*every, *all_trees(SIXTH)))
    every += (*all_trees(SIXTH), *all_trees(SEVENTH))
    assert all_trees(EIGHTH).isdisjoint(every)
    assert all_trees(NINTH).isdisjoint((*every, *all_trees(EIGHTH)))
    every += (*all_trees(EIGHTH), *all_trees(NINTH))
    assert all_trees(TENTH).isdisjoint(every)
    assert all_trees(ELEVENTH).isdisjoint((*every, *all_trees(TENTH)))


@each_round
def test_the_documentation_says_what_the_labels_say(of: Round) -> None:
    page = (CHECKOUT / "docs" / "audit.md").read_text(encoding="utf-8")
    assert "\n".join(figures(of)) in page


@pytest.mark.parametrize("of", [each for each in ROUNDS if each.lines])
def test_every_finding_of_ported_code_has_a_label(of: Round) -> None:
    assert {each.label for each in read_ported(of)} <= {"true", "false"}
    assert {each.after for each in read_ported(of)} <= {"reported", ""}
    assert all(each.reason for each in read_ported(of))


@pytest.mark.real
@pytest.mark.parametrize(
    ("of", "tree"),
    [(of, each) for of in ROUNDS for each in names(of) if each not in LARGE],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_the_places_are_reported(of: Round, tree: str) -> None:
    judged = [(each.file, each.line, each.hash) for each in read_findings(of) if each.tree == tree]
    judged += [(each.file, each.line, each.hash) for each in read_places(of) if each.tree == tree]
    moved = [
        (file, line)
        for file, line, hash in judged
        if line_hash(tree, f"{tree}/{file}", max(line, 1), of.table) != hash
    ]
    assert moved == []
    assert lost(tree, of=of) == []
