"""The samples of unseen trees: nothing was tried on them before the findings were drawn.

Of each round, `findings.tsv` has the labelled findings, `places.tsv` the places that were chosen by
reading before the audit ran, `ported.tsv` what was found in trees written for HIP by hand, and
`trees.toml` the trees. docs/audit.md has the labeller's rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.precision.known_trees import findings
from tests.support.real_trees import trees

_FOLDER = Path(__file__).parent
_REACH = 4
"""Lines between a place and its finding: an asm statement or a call has its finding inside."""
_WHOLE = 0
"""The line of a finding about a file as a whole, such as a module of PTX."""
CONVERTED = "convert"


class Round(NamedTuple):
    """One sample: its folder, the lines of its ported trees, and its trees that build for AMD too.

    Lines are those of sources, Python, and build files.
    """

    folder: Path
    lines: dict[str, int]
    for_both: tuple[str, ...] = ()

    @property
    def table(self) -> Path:
        return self.folder / "trees.toml"


FIRST = Round(
    _FOLDER,
    {
        "hipsparse 6.4.3": 143_939,
        "rocprim 6.4.3": 216_417,
        "rocrand 6.4.3": 225_648,
        "rocsparse 6.4.3": 340_838,
        "rocthrust 6.4.4": 248_535,
    },
)
SECOND = Round(
    _FOLDER / "second",
    {
        "hipcub 6.4.3": 83_181,
        "hipfft 6.4.3": 39_299,
        "hipsolver 6.4.1": 93_000,
        "pyfr 3.1": 23_462,
        "rocalution 5.7.1": 110_101,
        "rocsolver 6.4.3": 236_105,
    },
)
THIRD = Round(
    _FOLDER / "third",
    {
        "hipblas 5.5.1": 195_686,
        "rocfft 6.4.3": 107_357,
    },
)
FOURTH = Round(
    _FOLDER / "fourth",
    {
        "rocblas 6.4.4": 304_475,
        "roctracer 6.4.1": 10_643,
        "sundials 7.1.1": 572_034,
    },
    ("dbcsr", "optimum-quanto", "qulacs"),
)
FIFTH = Round(
    _FOLDER / "fifth",
    {
        "cp2k 2025.2": 1_421_911,
        "rccl 5.4.3": 56_373,
        "trilinos 13.2.0": 763_003,
    },
    ("exllamav2", "likwid", "monai"),
)
# Smaller than the others: no ported code.
SIXTH = Round(
    _FOLDER / "sixth",
    {},
    (
        "adios2",
        "arbor",
        "gpaw",
        "heat",
        "kernel-tuner",
        "liger-kernel",
        "pystencils",
        "qibojit",
    ),
)
# No ported code either.
SEVENTH = Round(
    _FOLDER / "seventh",
    {},
    (
        "flash-linear-attention",
        "gemlite",
        "nvtop",
        "pocl",
        "tinygrad",
        "torch-memory-saver",
        "unsloth",
    ),
)
EIGHTH = Round(
    _FOLDER / "eighth",
    {
        "amd-aiter 0.1.7": 197_186,
        "nwchem 7.2.3": 77_304,
        "perftest 25.01.0": 26_091,
    },
    (
        "conch-triton-kernels",
        "gt4py",
        "kvcached",
        "ocnn",
        "timemory",
        "verl",
        "xobjects",
    ),
)
NINTH = Round(
    _FOLDER / "ninth",
    {
        "hip-quant 2.2.4": 67_131,
        "hipengine 0.8.3": 690_289,
    },
    ("opm-simulators", "vapoursynth-bm3dcuda"),
)
TENTH = Round(
    _FOLDER / "tenth",
    {
        "magma 2.9.0": 543_132,
        "pantheon-gpu 1.2.4": 21_300,
    },
)
ELEVENTH = Round(
    _FOLDER / "eleventh",
    {
        "gafime-rocm 0.4.7": 3_619,
        "mfem 4.9": 557_779,
    },
)
TWELFTH = Round(
    _FOLDER / "twelfth",
    {
        "highspy 1.16.0": 257_007,
        "hypre 2.32.0": 716_204,
    },
)
THIRTEENTH = Round(
    _FOLDER / "thirteenth",
    {
        "tasmanian 8.2": 62_953,
        "xerv-crayon 5.7.16": 9_786,
    },
)
# No ported code.
FOURTEENTH = Round(_FOLDER / "fourteenth", {})
# rocm-hipamd is HIP's runtime itself.
FIFTEENTH = Round(
    _FOLDER / "fifteenth",
    {
        "eigen3 5.0.1": 395_123,
        "gloo-rocm 0.0~git20250912": 44_713,
        "mmcv 2.2.0": 65_740,
        "rocm-hipamd 6.4.3": 372_055,
    },
)
SIXTEENTH = Round(
    _FOLDER / "sixteenth",
    {
        "deepmd-kit 3.2.0": 429_937,
        "ghex 0.9.0": 443_365,
        "openequivariance 0.7.0": 16_385,
        "slepc 3.26.1": 223_243,
    },
)
SEVENTEENTH = Round(
    _FOLDER / "seventeenth",
    {
        "cupy 14.2.0": 360_140,
        "gfxgraph 1.1.0": 12_046,
        "lapackpp 2024.10.26": 159_556,
        "zse-engine 2.0.1": 25_666,
    },
)
EIGHTEENTH = Round(
    _FOLDER / "eighteenth",
    {
        "blaspp 2024.10.26": 57_509,
        "locomp 1.0.0": 13_906,
        "pygpgpu 0.1.1": 54_581,
        "vapoursynth-dfttest2-hip 11.dev2": 125_752,
        "zse-compiler 2.0.1": 8_870,
    },
)
NINETEENTH = Round(
    _FOLDER / "nineteenth",
    {
        "cluestering 2.6.3": 197_295,
        "hipbridge 0.1.0": 12_853,
        "primme 3.2.3": 121_370,
        "rwkv-rocm 0.1.0.dev1": 3_192,
    },
)
ROUNDS = (
    FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH, TENTH, ELEVENTH, TWELFTH,
    THIRTEENTH, FOURTEENTH, FIFTEENTH, SIXTEENTH, SEVENTEENTH, EIGHTEENTH,
    NINETEENTH,
)  # fmt: skip


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


def read_ported(of: Round = FIRST) -> list[Ported]:
    if not of.lines:
        return []
    found = []
    for row in _rows(of, "ported.tsv"):
        code, label, reason, after = row[3:7]
        alike = int(row[7]) if len(row) > 7 else 1
        found.append(Ported(row[0], row[1], int(row[2]), code, label, reason, after, alike))
    return found


def read_findings(of: Round = FIRST) -> list[Judged]:
    return [Judged(row[0], row[1], int(row[2]), *row[3:]) for row in _rows(of, "findings.tsv")]


def read_places(of: Round = FIRST) -> list[Place]:
    return [Place(row[0], row[1], int(row[2]), *row[3:]) for row in _rows(of, "places.tsv")]


def names(of: Round = FIRST) -> list[str]:
    """The trees that can be fetched from the package index."""
    return list(trees(of.table))


def lost(tree: str, jobs: int = 1, of: Round = FIRST) -> list[Place]:
    """The places of a tree that `after` says a finding reports, and none does."""
    ours = [each for each in read_places(of) if each.tree == tree and _is_code(each.after)]
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


def figures(of: Round = FIRST) -> Iterator[str]:
    """The shares of findings and places, as Markdown."""
    sample = read_findings(of)
    yield "| part of the tree | findings | not wrong | useful |"
    yield "| --- | --- | --- | --- |"
    for part, title in (("own", "own code"), ("tests", "tests"), ("vendored", "copies of others")):
        yield _row(title, [each for each in sample if each.part == part])
    yield _row("all", sample)
    own = [each for each in sample if each.part == "own"]
    if of.for_both:
        both = [each for each in own if each.tree in of.for_both]
        yield _row("own code, trees that build for AMD too", both)
        yield _row("own code, other trees", [each for each in own if each not in both])
    if any(each.decision for each in sample):
        yield _once(own)
    places = read_places(of)
    yield ""
    yield f"| {len(places)} places | reported | done by `convert` without a finding | missed |"
    yield "| --- | --- | --- | --- |"
    yield _shares("when chosen", [each.before for each in places])
    for by, title in (("person", "a person has to do it"), ("convert", "conversion should do it")):
        if chosen := [each.before for each in places if each.by == by]:
            yield _shares(f"{len(chosen)}: {title}", chosen)
    yield _shares("after mending", [each.after for each in places])
    ported = read_ported(of)
    if not ported:
        return
    yield ""
    yield "| written for HIP | lines | manual | false | false in 100,000 lines | after mending |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for tree, lines in of.lines.items():
        yield _ported(tree, lines, [each for each in ported if each.tree == tree.split()[0]])
    yield _ported("all", sum(of.lines.values()), ported)


def _row(title: str, sample: Sequence[Judged]) -> str:
    true = sum(each.label == "true" for each in sample)
    useful = sum(each.useful == "yes" for each in sample)
    return f"| {title} | {len(sample)} | {_share(true, sample)} | {_share(useful, sample)} |"


def _ported(title: str, lines: int, found: Sequence[Ported]) -> str:
    wrong = [each for each in found if each.label == "false"]
    false = sum(each.alike for each in wrong)
    left = sum(each.alike for each in wrong if each.after != "")
    shares = " | ".join(f"{100_000 * number / lines:.1f}" for number in (false, left))
    return f"| {title} | {lines:,} | {sum(each.alike for each in found)} | {false} | {shares} |"


def _once(sample: Sequence[Judged]) -> str:
    """The row of a sample in which findings that are the same decision count once."""
    same: dict[str, list[Judged]] = {}
    for each in sample:
        same.setdefault(each.decision, []).append(each)
    true = sum(all(each.label == "true" for each in group) for group in same.values())
    useful = sum(any(each.useful == "yes" for each in group) for group in same.values())
    shares = f"{_share(true, list(same))} | {_share(useful, list(same))}"
    return f"| own code, a decision once | {len(same)} | {shares} |"


def _shares(title: str, codes: Sequence[str]) -> str:
    counts = [sum(map(test, codes)) for test in (_is_code, CONVERTED.__eq__, "".__eq__)]
    return f"| {title} | " + " | ".join(_share(each, codes) for each in counts) + " |"


def _is_code(code: str) -> bool:
    return code.startswith("HP-")


def _share(count: int, whole: Sequence[object]) -> str:
    return f"{count} ({100 * count / len(whole):.1f} %)"


def _rows(of: Round, name: str) -> list[list[str]]:
    _, *lines = (of.folder / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]
