"""The labelled sample of findings in real trees: what is true there is found there."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.precision.known_trees import (
    TREES,
    Labelled,
    draw,
    findings,
    line_hash,
    read_sample,
    table,
)
from hipport.model import Finding, Position, Severity
from hipport.rulebook.load import load
from tests.support.folders import CHECKOUT

DOCUMENTATION = CHECKOUT / "benchmarks" / "precision" / "README.md"
SAMPLE = read_sample()


def test_the_sample_is_whole() -> None:
    assert len(SAMPLE) == 300
    assert {each.label for each in SAMPLE} == {"true", "false"}
    assert {each.tree for each in SAMPLE} == set(TREES)
    known = {each.code for each in SAMPLE if each.label == "true"}
    assert known <= load(is_audit=True).findings.keys()
    assert all(each.reason for each in SAMPLE)
    places = Counter((each.tree, each.file, each.line, each.code) for each in SAMPLE)
    assert places.most_common(1)[0][1] == 1


def test_at_least_95_of_100_are_true() -> None:
    assert sum(each.label == "true" for each in SAMPLE) >= 0.95 * len(SAMPLE)


def test_the_documentation_says_what_the_labels_say() -> None:
    assert "\n".join(table(SAMPLE)) in DOCUMENTATION.read_text(encoding="utf-8")


@pytest.mark.real
@pytest.mark.parametrize("tree", TREES)
def test_what_is_true_is_found_at_its_place(tree: str) -> None:
    ours = [each for each in SAMPLE if each.tree == tree]
    assert [each for each in ours if _hash(each) != each.hash] == []
    found = {
        (each.path.partition("/")[2], each.start.line, each.code)
        for each in findings(tree, only={each.file for each in ours})
    }
    # A few were true as the audit was then, and are rightly silent since: the reason says why.
    wrong = [
        each
        for each in ours
        if each.label == "true"
        and ((each.file, each.line, each.code) in found) is ("; silent since: " in each.reason)
    ]
    assert wrong == []


def _hash(each: Labelled) -> str:
    return line_hash(each.tree, f"{each.tree}/{each.file}", each.line)


@pytest.mark.real
def test_a_draw_is_the_same_for_a_seed_and_has_every_code() -> None:
    found = [("mpi4py", each) for each in findings("mpi4py")]
    drawn = draw(found, 8, seed=3)
    assert drawn == draw(reversed(found), 8, seed=3)
    assert {each.code for _, each in drawn} == {each.code for _, each in found}


def test_of_a_code_in_a_file_one_finding_is_drawn() -> None:
    def finding(path: str, line: int, code: str) -> Finding:
        return Finding(code, Severity.INFO, "", "", "", path, Position(line, 1), Position(line, 2))

    places = (("t/a.cu", 1, "A"), ("t/a.cu", 2, "A"), ("u/a.cu", 1, "A"), ("t/b.cu", 1, "B"))
    found = [(path[0], finding(path, line, code)) for path, line, code in places]
    drawn = [(each.path.rpartition("/")[2], each.code) for _, each in draw(found, 9, seed=1)]
    assert drawn == [("a.cu", "A"), ("b.cu", "B")]
