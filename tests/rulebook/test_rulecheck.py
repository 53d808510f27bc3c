"""What is said of a broken rulebook: file, line and reason, for every kind of fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.errors import RuleError
from hipport.model import Severity
from hipport.rulebook.check.rule_files import faults
from hipport.rulebook.rules import RuleSet
from tests.support.command import Ran, hipport, make_tree
from tests.support.folders import CHECKOUT

HEADINGS = {
    name: (CHECKOUT / "rules" / name).read_text().partition("\n")[0]
    for name in (
        "api/runtime.tsv",
        "headers.tsv",
        "transforms.tsv",
        "hip_moves.tsv",
        "flags.tsv",
        "environment.tsv",
        "cmake.tsv",
    )
}
API = HEADINGS["api/runtime.tsv"].split("\t")
FINDING = 'id = "HP-A-001"\nseverity = "review"\ntitle = "t"\nmessage = "m"\n'
SMALL = {
    "libraries.toml": '[one]\ntitle = "One"\n[two]\ntitle = "Two"\n',
    "api/one.tsv": HEADINGS["api/runtime.tsv"]
    + "\ncudaA\tfunction\thipA\t\tsupported\ncudaB\ttype\t\t\tunsupported\n"
    + "h.h\theader\thip/h.h\t\tsupported\n",
    "api/two.tsv": HEADINGS["api/runtime.tsv"] + "\ncudaC\tmacro\thipC\t\tdeprecated\n",
    "headers.tsv": HEADINGS["headers.tsv"] + "\nh.h\thip/h.h\t\tone\tmap\ni.h\t\t\tone\tdrop\n",
    "transforms.tsv": HEADINGS["transforms.tsv"]
    + "\ncudaA\thip\twrap\t0\tX({})\ncudaC\thip\tremove\t1\n",
    "hip_moves.tsv": HEADINGS["hip_moves.tsv"]
    + "\nhipA(_v2)?\t7.1\tdeprecated\thipB\nhipA(_v2)?\t10.0\tremoved\thipB\n"
    + "hipC\t7.1\tchanged\t\tadvice\n",
    "flags.tsv": HEADINGS["flags.tsv"]
    + "\n-a --all\tnone\t\tdrop\t\t\terror\n-b\tvalue\t[0-9]\tmap\t-c{value}\t\tmisread\n",
    "cmake.tsv": HEADINGS["cmake.tsv"]
    + "\nCUDA::cudart\ttarget\trename\thip::host\nCUDA_OLD\tvariable\tdrop\n",
    "environment.tsv": HEADINGS["environment.tsv"] + "\nCUDA_HOME\troot\tROCM_PATH\n",
    "checks/HP-A-001.toml": FINDING,
}
"""A rulebook of a few lines with one of everything and no fault."""


def faults_of(folder: Path, name: str, old: str, new: str) -> list[str]:
    """The faults of the small rulebook with one text in one file replaced by another."""
    assert SMALL[name].count(old) >= 1
    make_tree(folder, {**SMALL, name: SMALL[name].replace(old, new)})
    return list(faults(RuleSet(folder)))


def test_a_small_rulebook_without_faults(tmp_path: Path) -> None:
    assert faults_of(tmp_path, "api/one.tsv", "cudaA", "cudaA") == []


BROKEN = [
    ("hip_moves.tsv", "deprecated", "gone", ["hip_moves.tsv:2: hipA(_v2)?: unknown change gone"]),
    (
        "hip_moves.tsv",
        "\t7.1\tchanged",
        "\tsoon\tchanged",
        ["hip_moves.tsv:4: hipC: release is not a version: soon"],
    ),
    (
        "hip_moves.tsv",
        "changed\t\tadvice",
        "changed\t\t",
        ["hip_moves.tsv:4: hipC: has neither a replacement nor advice"],
    ),
    (
        "hip_moves.tsv",
        "deprecated\thipB",
        "deprecated\thip\\2",
        ["hip_moves.tsv:2: hipA(_v2)?: invalid group reference 2 at position 4"],
    ),
    (
        "hip_moves.tsv",
        "10.0",
        "7.0",
        ["hip_moves.tsv:3: hipA(_v2)?: out of order, belongs before hipA(_v2)?"],
    ),
    ("flags.tsv", "-b\t", "b\t", ["flags.tsv:3: b: b is not a flag"]),
    ("flags.tsv", "\n-b", "\n-B", ["flags.tsv:3: -B: out of order, belongs before -a --all"]),
    ("flags.tsv", "value\t[0-9]", "none\t[0-9]", ["flags.tsv:3: -b: has a value, yet takes none"]),
    (
        "flags.tsv",
        "[0-9]",
        "[0-9",
        ["flags.tsv:3: -b: unterminated character set at position 0"],
    ),
    ("flags.tsv", "{value}", "{number}", ["flags.tsv:3: -b: unknown field number"]),
    ("flags.tsv", "misread", "unclear", ["flags.tsv:3: -b: unknown clang unclear"]),
    (
        "flags.tsv",
        "-a --all\tnone",
        "-a -a\tglued",
        ["flags.tsv:2: -a -a: -a appears twice"],
    ),
    (
        "flags.tsv",
        "drop\t\t\terror",
        "drop\t-x\t\terror",
        ["flags.tsv:2: -a --all: drop, yet becomes -x"],
    ),
    (
        "flags.tsv",
        "drop\t\t\terror",
        "report\t\t\terror",
        ["flags.tsv:2: -a --all: is to be reported, yet has no finding"],
    ),
    (
        "flags.tsv",
        "drop\t\t\terror",
        "drop\t\t\terror\tHP-B-001\tgrave",
        [
            "flags.tsv:2: -a --all: unknown finding HP-B-001",
            "flags.tsv:2: -a --all: unknown severity grave",
        ],
    ),
    (
        "flags.tsv",
        "map\t-c{value}",
        "map\t",
        ["flags.tsv:3: -b: is to become something (map), yet hip is empty"],
    ),
    ("cmake.tsv", "target", "goal", ["cmake.tsv:2: CUDA::cudart: unknown kind goal"]),
    ("cmake.tsv", "drop", "fall", ["cmake.tsv:3: CUDA_OLD: unknown action fall"]),
    (
        "cmake.tsv",
        "\thip::host",
        "",
        ["cmake.tsv:2: CUDA::cudart: is to become something, yet hip is empty"],
    ),
    (
        "cmake.tsv",
        "drop",
        "report\thip::x",
        [
            "cmake.tsv:3: CUDA_OLD: report, yet becomes hip::x",
            "cmake.tsv:3: CUDA_OLD: is to be reported, yet has no note",
        ],
    ),
    ("environment.tsv", "root", "branch", ["environment.tsv:2: CUDA_HOME: unknown kind branch"]),
    ("api/one.tsv", "cudaB", "cudA", ["api/one.tsv:3: cudA: out of order, belongs before cudaA"]),
    (
        "api/one.tsv",
        "cudaB\ttype\t\t\tunsupported",
        "cudaA\tfunction\thipA\t\tsupported",
        ["api/one.tsv:3: cudaA: appears twice"],
    ),
    (
        "api/two.tsv",
        "cudaC\tmacro\thipC",
        "cudaA\tmacro\thipX",
        [
            "api/two.tsv:2: cudaA: becomes hipX, elsewhere hipA",
            "transforms.tsv:3: cudaC: no rule in rules/api",
        ],
    ),
    ("api/one.tsv", "\ttype", "\tthing", ["api/one.tsv:3: cudaB: unknown kind thing"]),
    (
        "api/one.tsv",
        "\tunsupported",
        "\tno",
        [
            "api/one.tsv:3: cudaB: unknown status no",
        ],
    ),
    (
        "api/one.tsv",
        "cudaB\ttype\t\t",
        "cudaB\ttype\thipB\t",
        ["api/one.tsv:3: cudaB: is unsupported, yet has a counterpart"],
    ),
    (
        "api/one.tsv",
        "function\thipA",
        "function\t",
        ["api/one.tsv:2: cudaA: is supported, yet has no counterpart"],
    ),
    (
        "api/one.tsv",
        "hipA\t\tsupported",
        "hipA\t\tsupported\t\t\t\tnew",
        ["api/one.tsv:2: cudaA: hip_added is not a version: new"],
    ),
    (
        "api/one.tsv",
        "hipA\t\tsupported",
        "hipA",
        [
            "api/one.tsv:2: cudaA: 3 columns, 5 to 18 are needed",
            "transforms.tsv:2: cudaA: no rule in rules/api",
        ],
    ),
    (
        "api/one.tsv",
        "cudaB\ttype\t\t\tunsupported",
        "cudaB\ttype\t\t\tunsupported" + "\t" * 14,
        ["api/one.tsv:3: cudaB: 19 columns, 5 to 18 are needed"],
    ),
    ("api/one.tsv", "\nh.h", "\n\nh.h", ["api/one.tsv:4: : 1 columns, 5 to 18 are needed"]),
    (
        "api/one.tsv",
        "hip/h.h\t\tsupported\n",
        "hip/h.h\t\tsupported",
        ["api/one.tsv: the last line has no end"],
    ),
    (
        "api/one.tsv",
        "hip/h.h",
        "hip/x.h",
        ["api/one.tsv:4: h.h: becomes hip/x.h, in headers.tsv hip/h.h"],
    ),
    (
        "api/two.tsv",
        "cuda\tkind\t",
        "cuda\t",
        [
            f"api/two.tsv:1: the columns must be {' '.join(API)}",
            "transforms.tsv:3: cudaC: no rule in rules/api",
        ],
    ),
    ("headers.tsv", "\tdrop", "\tlose", ["headers.tsv:3: i.h: unknown action lose"]),
    (
        "headers.tsv",
        "i.h\t\t\tone\tdrop",
        "i.h\t\t\tone\tmap",
        ["headers.tsv:3: i.h: is mapped to nothing"],
    ),
    ("headers.tsv", "i.h", "a.h", ["headers.tsv:3: a.h: out of order, belongs before h.h"]),
    ("headers.tsv", "i.h", "h.h", ["headers.tsv:3: h.h: appears twice"]),
    ("headers.tsv", "\tone\tdrop", "", ["headers.tsv:3: i.h: 3 columns, 5 to 9 are needed"]),
    ("transforms.tsv", "\twrap", "\twarp", ["transforms.tsv:2: cudaA: unknown operation warp"]),
    (
        "transforms.tsv",
        "cudaC\thip",
        "cudaC\tcuda",
        ["transforms.tsv:3: cudaC: unknown target cuda"],
    ),
    (
        "transforms.tsv",
        "cudaC\thip",
        "cuda0\thip",
        [
            "transforms.tsv:3: cuda0: out of order, belongs before cudaA",
            "transforms.tsv:3: cuda0: no rule in rules/api",
        ],
    ),
    (
        "transforms.tsv",
        "cudaC\thip\tremove\t1",
        "cudaA\thip\twrap\t0\tX({})",
        ["transforms.tsv:3: cudaA: appears twice"],
    ),
    (
        "libraries.toml",
        "[two]",
        "[three]",
        [
            "libraries.toml: three is only there or only in rules/api",
            "libraries.toml: two is only there or only in rules/api",
            "api/three.tsv: ",
            "transforms.tsv:3: cudaC: no rule in rules/api",
        ],
    ),
    (
        "libraries.toml",
        'title = "One"',
        'title = "One"\npolicy = "maybe"',
        ["libraries.toml: one: unknown policy maybe"],
    ),
    (
        "libraries.toml",
        'title = "One"',
        'title = "One"\nunknown = "("',
        ["libraries.toml: one: unknown: (: missing ), unterminated subpattern at position 0"],
    ),
    (
        "libraries.toml",
        'title = "One"',
        "title",
        ["libraries.toml: key with no value, expected `=` at line 2 column 6"],
    ),
    (
        "checks/HP-A-001.toml",
        "HP-A-001",
        "HP-A-002",
        ["checks/HP-A-001.toml: id: is not HP-A-001"],
    ),
    (
        "checks/HP-A-001.toml",
        'message = "m"',
        'message = "{m"',
        ["checks/HP-A-001.toml: message: expected '}' before end of string"],
    ),
    (
        "checks/HP-A-001.toml",
        'title = "t"',
        'title = "t"\nheaders = ["*.h"]',
        ["checks/HP-A-001.toml: headers: *.h: nothing to repeat at position 0"],
    ),
    (
        "checks/HP-A-001.toml",
        'title = "t"',
        'title = "t"\npatterns = ["a", "b("]\nunless = "c["',
        [
            "checks/HP-A-001.toml: patterns: b(: missing ), unterminated subpattern at position 1",
            "checks/HP-A-001.toml: unless: c[: unterminated character set at position 1",
        ],
    ),
    (
        "checks/HP-A-001.toml",
        'title = "t"',
        'title = "t"\nlinks = ["https://a.org/b", "a.org/b"]',
        ["checks/HP-A-001.toml: links: a.org/b: is no address that starts with https://"],
    ),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    BROKEN,
    ids=[each[3][0].partition(": ")[2] for each in BROKEN],
)
def test_each_fault_is_found(
    tmp_path: Path, name: str, old: str, new: str, expected: list[str]
) -> None:
    found = faults_of(tmp_path, name, old, new)
    # What the operating system says of a missing file names the file's whole path.
    assert [each.partition("[Errno 2]")[0] for each in found] == [f"rules/{e}" for e in expected]


GRAVE = '[[verdict]]\nseverity = "grave"\n'


def test_findings_of_the_audit_are_checked_too(tmp_path: Path) -> None:
    verdict = '[[verdict]]\nall = ["wings"]\nseverity = "review"\n'
    more = {
        "checks/device/HP-A-001.toml": FINDING,
        "checks/device/HP-B-001.toml": FINDING.replace("HP-A", "HP-B") + verdict,
        "checks/device/HP-C-001.toml": FINDING.replace("HP-A", "HP-C") + GRAVE,
        "targets.toml": '[feature]\nwave32 = ["gfx1*"]\n',
    }
    make_tree(tmp_path, {**SMALL, **more})
    assert list(faults(RuleSet(tmp_path))) == [
        "rules/checks/device/HP-A-001.toml: id: HP-A-001 is in rules/checks/HP-A-001.toml too",
        "rules/checks/device/HP-B-001.toml: verdict: "
        "no GPU of rules/targets.toml has a feature wings",
        "rules/checks/device/HP-C-001.toml: verdict[0].severity: 'grave' is unknown",
    ]


MALFORMED: list[tuple[Callable[[str], str], str]] = [
    (
        lambda text: f"a b\n{text}",
        "key with no value, expected `=` at line 1 column 3",
    ),
    (lambda text: text.replace("severity", "weight"), "severity: is missing"),
    (lambda text: text.replace("message", "text"), "message: is missing"),
    (lambda text: text.replace('"review"', '"grave"'), "severity: 'grave' is unknown"),
    (lambda text: text.replace('"review"', "3"), "severity: 3 is not text"),
    (lambda text: text + 'names = "cuda"\n', "names: 'cuda' is not a list"),
    (lambda text: text + "headers = [1]\n", "headers[0]: 1 is not text"),
    (lambda text: text + 'claims = "yes"\n', "claims: 'yes' is not true or false"),
    (lambda text: text + "own = 1\n", "own: nothing reads it"),
]


@pytest.mark.parametrize(("change", "reason"), MALFORMED, ids=[each[1] for each in MALFORMED])
def test_a_malformed_finding_names_file_and_key(
    tmp_path: Path, change: Callable[[str], str], reason: str
) -> None:
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": change(FINDING)})
    message = f"rules/checks/HP-A-001.toml: {reason}"
    with pytest.raises(RuleError) as caught:
        _ = RuleSet(tmp_path).findings
    assert str(caught.value) == f"{message} (hipport help rules)"
    assert list(faults(RuleSet(tmp_path))) == [message]


# What is wrong with the keys that a check reads, and how it is said.
KEYS = [
    ("", "says: is missing"),
    ("says = 1", "says: 1 is not text"),
    ('says = "b("', "says: b(: missing ), unterminated subpattern at position 1"),
    ('says = "b"\nmore = 1', "more: nothing reads it"),
]


@pytest.mark.parametrize(("keys", "reason"), KEYS, ids=[each[1] for each in KEYS])
def test_the_keys_of_a_check_are_its_own(tmp_path: Path, keys: str, reason: str) -> None:
    text = f'{FINDING}check = "error_line"\n{keys}\n'
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": text})
    assert list(faults(RuleSet(tmp_path))) == [f"rules/checks/HP-A-001.toml: {reason}"]


def test_a_check_that_is_none(tmp_path: Path) -> None:
    text = f'{FINDING}check = "error_lines"\n'
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": text})
    reason = "check: no check error_lines, did you mean error_line?"
    assert list(faults(RuleSet(tmp_path))) == [f"rules/checks/HP-A-001.toml: {reason}"]


REWRITE = """\
when = ["register"]
[edits.register-keyword]
title = "t"
safety = "safe"
why = "w"
source = "s"
pattern = '(?P<symbol>register)'
"""
BAD_REWRITES = [
    ('safety = "safe"', 'safety = "sure"', "edits.register-keyword: safety: 'sure' is unknown"),
    ('why = "w"', "", "edits.register-keyword: why: is missing"),
    ('when = ["register"]', "", "when: is missing"),
    ("<symbol>", "<symbols>", "edits.register-keyword.pattern: names no group `symbol`"),
    ("pattern =", "#", "no file of that name is in hipport/source/patterns"),
]


@pytest.mark.parametrize(("old", "new", "reason"), BAD_REWRITES)
def test_a_malformed_rewrite(tmp_path: Path, old: str, new: str, reason: str) -> None:
    make_tree(tmp_path, {**SMALL, "rewrites/one.toml": REWRITE.replace(old, new)})
    found = list(faults(RuleSet(tmp_path)))
    assert found == [f"rules/rewrites/one.toml: {reason}"]


def test_a_finding_that_is_no_utf_8(tmp_path: Path) -> None:
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": b"\xff"})
    with pytest.raises(RuleError, match=r"^rules/checks/HP-A-001\.toml: 'utf-8' codec can't"):
        _ = RuleSet(tmp_path).findings


def test_a_finding_with_everything(tmp_path: Path) -> None:
    text = f'{FINDING}names = ["a", "b"]\nclaims = true\nhints = ["h"]\n'
    text += 'check = "error_line"\nsays = "b("\n'
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": text})
    rule = RuleSet(tmp_path).findings["HP-A-001"]
    assert (rule.severity, rule.names, rule.claims) == (Severity.REVIEW, {"a", "b"}, True)
    assert (rule.hints, rule.check, rule.keys) == (("h",), "error_line", {"says": "b("})


@pytest.mark.slow
def test_the_command_checks_this_rulebook_or_another(tmp_path: Path) -> None:
    fine = Ran(0, "The rules are consistent.\n", "")
    assert hipport("rules", "check", cwd=tmp_path) == fine
    make_tree(tmp_path / "rules", SMALL)
    assert hipport("rules", "check", "rules", cwd=tmp_path) == fine
    make_tree(tmp_path / "rules", {"headers.tsv": SMALL["headers.tsv"].replace("drop", "lose")})
    expected = Ran(1, "", "rules/headers.tsv:3: i.h: unknown action lose\n")
    assert hipport("rules", "check", "rules", cwd=tmp_path) == expected
    done = hipport("rules", "check", "nowhere", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Directory 'nowhere' does not exist." in done.err
