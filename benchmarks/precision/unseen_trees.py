"""The second sample: trees that nothing was tried on before the findings were drawn.

`findings.tsv` has the labelled findings, `places.tsv` the places that were chosen by reading before
the audit ran, `trees.toml` the trees. docs/audit.md has the labeller's rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.precision.known_trees import findings
from tests.support.real_trees import trees

_FOLDER = Path(__file__).parent
TABLE = _FOLDER / "trees.toml"
_REACH = 4
"""Lines between a place and its finding: an asm statement or a call has its finding inside."""
CONVERTED = "convert"


class Judged(NamedTuple):
    """One finding. `part` is own, tests, or vendored; `label` true or false; `useful` yes or no."""

    tree: str
    file: str
    line: int
    code: str
    hash: str
    part: str
    label: str
    useful: str
    reason: str


class Place(NamedTuple):
    """A place to report. `before` and `after`: the finding that does, when it was chosen and now.

    CONVERTED if no finding does but `hipport convert` changes the line as it has to; "" for a miss.
    """

    tree: str
    file: str
    line: int
    hash: str
    kind: str
    what: str
    before: str
    after: str


class Ported(NamedTuple):
    """A manual finding or blocker in a tree written for HIP by hand. `label`: true or false."""

    tree: str
    file: str
    line: int
    code: str
    label: str
    reason: str


LINES = {
    "hipsparse 6.4.3": 143_939,
    "rocprim 6.4.3": 216_417,
    "rocrand 6.4.3": 225_648,
    "rocsparse 6.4.3": 340_838,
    "rocthrust 6.4.4": 248_535,
}
"""Of sources, Python, and build files, in Debian's source packages."""


def read_ported() -> list[Ported]:
    return [Ported(row[0], row[1], int(row[2]), *row[3:]) for row in _rows("ported.tsv")]


def read_findings() -> list[Judged]:
    return [Judged(row[0], row[1], int(row[2]), *row[3:]) for row in _rows("findings.tsv")]


def read_places() -> list[Place]:
    return [Place(row[0], row[1], int(row[2]), *row[3:]) for row in _rows("places.tsv")]


def names() -> list[str]:
    return list(trees(TABLE))


def lost(tree: str, jobs: int = 1) -> list[Place]:
    """The places of a tree that `after` says a finding reports, and none does."""
    ours = [each for each in read_places() if each.tree == tree and each.after.startswith("HP-")]
    found = findings(tree, jobs, {each.file for each in ours}, TABLE)
    known = {(each.path.partition("/")[2], each.code, each.start.line) for each in found}
    return [
        place
        for place in ours
        if not any(
            (place.file, place.after, line) in known
            for line in range(place.line - _REACH, place.line + _REACH + 1)
        )
    ]


def figures() -> Iterator[str]:
    """The shares of findings and places, as Markdown."""
    sample = read_findings()
    yield "| part of the tree | findings | not wrong | useful |"
    yield "| --- | --- | --- | --- |"
    for part, title in (("own", "own code"), ("tests", "tests"), ("vendored", "copies of others")):
        yield _row(title, [each for each in sample if each.part == part])
    yield _row("all", sample)
    places = read_places()
    yield ""
    yield f"| {len(places)} places | reported | done by `convert` without a finding | missed |"
    yield "| --- | --- | --- | --- |"
    yield _shares("when chosen", [each.before for each in places])
    yield _shares("after mending", [each.after for each in places])
    ported = read_ported()
    yield ""
    yield "| written for HIP | lines | manual findings | false | false in 100,000 lines |"
    yield "| --- | --- | --- | --- | --- |"
    for tree, lines in LINES.items():
        yield _ported(tree, lines, [each for each in ported if each.tree == tree.split()[0]])
    yield _ported("all", sum(LINES.values()), ported)


def _row(title: str, sample: Sequence[Judged]) -> str:
    true = sum(each.label == "true" for each in sample)
    useful = sum(each.useful == "yes" for each in sample)
    return f"| {title} | {len(sample)} | {_share(true, sample)} | {_share(useful, sample)} |"


def _ported(title: str, lines: int, found: Sequence[Ported]) -> str:
    false = sum(each.label == "false" for each in found)
    share = 100_000 * false / lines
    return f"| {title} | {lines:,} | {len(found)} | {false} | {share:.1f} |"


def _shares(title: str, codes: Sequence[str]) -> str:
    counts = [sum(map(test, codes)) for test in (_is_code, CONVERTED.__eq__, "".__eq__)]
    return f"| {title} | " + " | ".join(_share(each, codes) for each in counts) + " |"


def _is_code(code: str) -> bool:
    return code.startswith("HP-")


def _share(count: int, whole: Sequence[object]) -> str:
    return f"{count} ({100 * count / len(whole):.1f} %)"


def _rows(name: str) -> list[list[str]]:
    _, *lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]
