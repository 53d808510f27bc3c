"""The samples of unseen trees: nothing was tried on them before the findings were drawn.

Of each round, `findings.tsv` has the labelled findings, `places.tsv` the places that were chosen by
reading before the audit ran, `ported.tsv` what was found in trees written for HIP by hand, and
`trees.toml` the trees, `round.toml` what else is known of them, and `README.md` how the sample was
taken and what it showed. docs/precision.md has the labeller's rules.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from benchmarks.precision.known_trees import findings
from tests.support.real_trees import trees

_REACH = 4
"""Lines between a place and its finding: an asm statement or a call has its finding inside."""
_WHOLE = 0
"""The line of a finding about a file as a whole, such as a module of PTX."""
CONVERTED = "convert"


class Round(NamedTuple):
    """One sample: its number and folder, the lines of its ported trees, its trees for both vendors.

    Lines are those of sources, Python, and build files.
    """

    number: int
    folder: Path
    lines: dict[str, int]
    for_both: tuple[str, ...]

    @property
    def table(self) -> Path:
        return self.folder / "trees.toml"


def _round(path: Path) -> Round:
    row = tomllib.loads(path.read_text(encoding="utf-8"))
    return Round(row["number"], path.parent, row.get("lines", {}), tuple(row.get("for_both", ())))


ROUNDS = sorted(map(_round, Path(__file__).parent.glob("*/round.toml")))
"""All samples, the first one first."""


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
    decision: str = ""
    """Findings with the same number are the same decision."""


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
    by: str = ""
    """Who does it, in the eyes of the reader who chose the place: `person` or `convert`."""


class Ported(NamedTuple):
    """A manual finding or blocker in a tree written for HIP by hand. `label`: true or false."""

    tree: str
    file: str
    line: int
    code: str
    label: str
    reason: str
    after: str
    """`reported` if it still is one of these, after mending."""
    alike: int = 1
    """How many of the file have this code and are about this name. `line` is that of the first."""


def read_ported(of: Round) -> list[Ported]:
    if not of.lines:
        return []
    found = []
    for row in _rows(of, "ported.tsv"):
        code, label, reason, after = row[3:7]
        alike = int(row[7]) if len(row) > 7 else 1
        found.append(Ported(row[0], row[1], int(row[2]), code, label, reason, after, alike))
    return found


def read_findings(of: Round) -> list[Judged]:
    return [Judged(row[0], row[1], int(row[2]), *row[3:]) for row in _rows(of, "findings.tsv")]


def read_places(of: Round) -> list[Place]:
    return [Place(row[0], row[1], int(row[2]), *row[3:]) for row in _rows(of, "places.tsv")]


def names(of: Round) -> list[str]:
    """The trees that can be fetched from the package index."""
    return list(trees(of.table))


def lost(tree: str, of: Round, jobs: int = 1) -> list[Place]:
    """The places of a tree that `after` says a finding reports, and none does."""
    ours = [each for each in read_places(of) if each.tree == tree and is_code(each.after)]
    found = findings(tree, jobs, {each.file for each in ours}, of.table)
    spots = [spot for each in found for spot in each.places]
    known = {(spot.path.partition("/")[2], spot.code, spot.start.line) for spot in spots}
    return [
        place
        for place in ours
        if not any(
            (place.file, place.after, line) in known
            for line in (_WHOLE, *range(place.line - _REACH, place.line + _REACH + 1))
        )
    ]


def is_code(code: str) -> bool:
    return code.startswith("HP-")


def _rows(of: Round, name: str) -> list[list[str]]:
    _, *lines = (of.folder / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]
