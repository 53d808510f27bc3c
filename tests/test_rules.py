"""The rulebook: what is in it, how it is found and shown, and what is said of a broken one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.errors import RuleError
from hipport.model import Severity
from hipport.source.rulecheck import faults
from hipport.source.rules import RuleSet, load
from tests.command import Ran, hipport, make_tree

CHECKOUT = Path(__file__).resolve().parents[1]

COLLECTED = {
    "runtime": (1083, 1623),
    "driver": (1341, 2236),
    "device": (611, 950),
    "cub": (13, 72),
    "thrust": (4, 4),
    "libcudacxx": (2, 2),
    "complex": (27, 27),
    "cublas": (871, 1091),
    "cublaslt": (107, 1012),
    "cufft": (199, 307),
    "curand": (135, 176),
    "cusparse": (704, 881),
    "cusparselt": (70, 97),
    "cusolver": (360, 769),
    "cudnn": (649, 1453),
    "cutensor": (176, 263),
    "cufile": (140, 160),
    "nccl": (135, 183),
    "nvrtc": (28, 46),
    "nvtx": (9, 373),
    "nvml": (28, 1912),
    "torch": (48, 48),
    "torch_other": (90, 90),
    "caffe2": (28, 36),
}
"""Library -> (names with a counterpart, all names) as first collected; lines may only be added."""


# What is in it


def test_every_name_that_was_collected_is_there() -> None:
    assert sum(total for _, total in COLLECTED.values()) == 13_811
    totals: Counter[str] = Counter()
    mapped: Counter[str] = Counter()
    for rule in load().every_api():
        totals[rule.library] += 1
        mapped[rule.library] += rule.status != "unsupported"
    assert list(load().libraries) == list(COLLECTED)
    for library, (with_counterpart, total) in COLLECTED.items():
        assert totals[library] >= total, library
        assert mapped[library] >= with_counterpart, library


def test_stats_count_every_line(tmp_path: Path) -> None:
    done = hipport("rules", "stats", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    heading, *rows, last = done.out.splitlines()
    assert heading.split() == [
        *("library", "supported", "deprecated", "experimental"),
        *("partial", "dropped", "unsupported", "total"),
    ]
    numbers = {name: list(map(int, counts)) for name, *counts in map(str.split, rows)}
    lines = {
        path.stem: path.read_text().count("\n") - 1
        for path in (CHECKOUT / "rules/api").glob("*.tsv")
    }
    assert {name: counts[-1] for name, counts in numbers.items()} == {
        **lines,
        "all": sum(lines.values()),
    }
    for counts in numbers.values():
        assert sum(counts[:-1]) == counts[-1]
    headers = (CHECKOUT / "rules/headers.tsv").read_text().count("\n") - 1
    transforms = (CHECKOUT / "rules/transforms.tsv").read_text().count("\n") - 1
    findings = len(list((CHECKOUT / "rules/checks").glob("*.toml")))
    start = f"{headers} headers, {transforms} argument rules, {findings} findings; ROCm up to "
    assert last.startswith(start)


# How it is shown


def shown(folder: Path, name: str) -> list[list[tuple[str, str]]]:
    """The tables of `hipport rules show`: each a list of (key, value)."""
    done = hipport("rules", "show", name, cwd=folder)
    assert (done.code, done.err) == (0, "")
    tables = [table.splitlines() for table in done.out.removesuffix("\n").split("\n\n")]
    return [[(line[:17].rstrip(), line[17:]) for line in table] for table in tables]


def test_show_a_function_and_its_arguments(tmp_path: Path) -> None:
    rule, transform = shown(tmp_path, "cudaMemcpyToSymbol")
    assert rule[:5] == [
        ("cuda", "cudaMemcpyToSymbol"),
        ("kind", "function"),
        ("hip", "hipMemcpyToSymbol"),
        ("status", "supported"),
        ("hip added", "1.6"),
    ]
    assert ("section", "Memory Management") in rule
    assert rule[-1] == ("library", "runtime")
    assert transform[0] == ("arguments", "(hip) wrap 0 HIP_SYMBOL({})")


def test_show_an_unsupported_name(tmp_path: Path) -> None:
    (rule,) = shown(tmp_path, "cudaDeviceFlushGPUDirectRDMAWrites")
    assert ("status", "unsupported") in rule
    assert "hip" not in dict(rule)


def test_show_a_struct(tmp_path: Path) -> None:
    (rule,) = shown(tmp_path, "cudaDeviceProp")
    assert rule[1:4] == [("kind", "type"), ("hip", "hipDeviceProp_t"), ("status", "supported")]


def test_show_a_name_that_two_libraries_know(tmp_path: Path) -> None:
    tables = shown(tmp_path, "cudnnCreate")
    assert [dict(table)["library"] for table in tables] == ["cudnn"]


def test_show_a_header(tmp_path: Path) -> None:
    rule, header = shown(tmp_path, "cuda_fp16.h")
    assert rule[:3] == [("cuda", "cuda_fp16.h"), ("kind", "header"), ("hip", "hip/hip_fp16.h")]
    assert header[:4] == [
        ("cuda", "cuda_fp16.h"),
        ("hip", "hip/hip_fp16.h"),
        ("library", "runtime"),
        ("action", "map"),
    ]


def test_show_a_finding(tmp_path: Path) -> None:
    assert shown(tmp_path, "HP-API-002") == [
        [
            ("code", "HP-API-002"),
            ("severity", "review"),
            ("title", "Name that looks like CUDA's, but that no rule knows"),
            (
                "message",
                "`{symbol}` looks like a CUDA name, but no rule knows it; it was left as it is",
            ),
            (
                "suggestion",
                "If it is your own, nothing has to be done."
                " If it is CUDA's, add a line to rules/api.",
            ),
        ]
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cudaMalloo", "did you mean cudaMalloc, cudaMallocHost, cudaMalloc3D?"),
        ("qqqqqqqqqqqq", "hipport rules list has all names"),
        ("new\nline\x1b", "hipport rules list has all names"),
    ],
)
def test_show_an_unknown_name(tmp_path: Path, name: str, hint: str) -> None:
    text = name.replace("\n", "\\n").replace("\x1b", "\\x1b")
    expected = Ran(2, "", f"hipport: no rule for {text} ({hint})\n")
    assert hipport("rules", "show", name, cwd=tmp_path) == expected


def test_list(tmp_path: Path) -> None:
    everything = hipport("rules", "list", cwd=tmp_path)
    assert (everything.code, everything.err) == (0, "")
    lines = everything.out.splitlines()
    assert len(lines) == sum(1 for _ in load().every_api())
    assert "cudaMalloc\thipMalloc\t\tfunction\tsupported" in lines
    libraries = [
        hipport("rules", "list", "--library", name, cwd=tmp_path).out for name in ("cub", "thrust")
    ]
    assert libraries[1] == (
        "thrust\tthrust\t\tnamespace\tsupported\n"
        "thrust::cuda\tthrust::hip\t\tnamespace\tsupported\n"
        "thrust::cuda_cub\tthrust::hip_rocprim\t\tnamespace\tsupported\n"
        "thrust::system::cuda\tthrust::system::hip\t\tnamespace\tsupported\n"
    )
    both = hipport("rules", "list", "--library", "cub", "--status", "unsupported", cwd=tmp_path)
    wanted = [each for each in libraries[0].splitlines() if each.endswith("\tunsupported")]
    assert both == Ran(0, "\n".join(wanted) + "\n", "")
    assert 50 < len(wanted) < len(libraries[0].splitlines())


def test_list_an_unknown_library_or_status(tmp_path: Path) -> None:
    done = hipport("rules", "list", "--library", "cuda", cwd=tmp_path)
    known = ", ".join(COLLECTED)
    assert done == Ran(2, "", f"hipport: no library cuda (known: {known})\n")
    done = hipport("rules", "list", "--status", "fine", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Invalid value for '--status': 'fine' is not one of 'deprecated', " in done.err


# What is said of a broken one


HEADINGS = {
    name: (CHECKOUT / "rules" / name).read_text().partition("\n")[0]
    for name in ("api/runtime.tsv", "headers.tsv", "transforms.tsv")
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
    ("api/one.tsv", "cudaB", "cudA", ["api/one.tsv:3: cudA: out of order, belongs before cudaA"]),
    (
        "api/one.tsv",
        "cudaB\ttype\t\t\tunsupported",
        "cudaA\tfunction\thipA\t\tsupported",
        ["api/one.tsv:3: cudaA: stands there twice"],
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
        ["api/one.tsv:2: cudaA: hip_added is no version: new"],
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
    ("headers.tsv", "i.h", "h.h", ["headers.tsv:3: h.h: stands there twice"]),
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
        ["transforms.tsv:3: cudaA: stands there twice"],
    ),
    (
        "libraries.toml",
        "[two]",
        "[three]",
        [
            "libraries.toml: three stands only in it or only in rules/api",
            "libraries.toml: two stands only in it or only in rules/api",
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
        ["libraries.toml: Expected '=' after a key in a key/value pair (at line 2, column 6)"],
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
        ["checks/HP-A-001.toml: a pattern: *.h: nothing to repeat at position 0"],
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


MALFORMED: list[tuple[Callable[[str], str], str]] = [
    (lambda text: "=" + text, "Invalid statement (at line 1, column 1)"),
    (lambda text: text.replace("severity", "weight"), "severity: is missing"),
    (lambda text: text.replace("message", "text"), "message: is missing"),
    (lambda text: text.replace('"review"', '"grave"'), "severity: 'grave' is unknown"),
    (lambda text: text.replace('"review"', "3"), "severity: 3 is no text"),
    (lambda text: text + 'names = "cuda"\n', "names: 'cuda' is no list"),
    (lambda text: text + "headers = [1]\n", "headers: not only texts are in the list"),
    (lambda text: text + 'claims = "yes"\n', "claims: 'yes' is no true or false"),
]


@pytest.mark.parametrize(("change", "reason"), MALFORMED, ids=[each[1] for each in MALFORMED])
def test_a_malformed_finding_names_file_and_key(
    tmp_path: Path, change: Callable[[str], str], reason: str
) -> None:
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": change(FINDING)})
    message = f"rules/checks/HP-A-001.toml: {reason}"
    with pytest.raises(RuleError) as caught:
        _ = RuleSet(tmp_path).findings
    assert str(caught.value) == f"{message} (see docs/rules.md)"
    assert list(faults(RuleSet(tmp_path))) == [message]


def test_a_finding_that_is_no_utf_8(tmp_path: Path) -> None:
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": b"\xff"})
    with pytest.raises(RuleError, match=r"^rules/checks/HP-A-001\.toml: 'utf-8' codec can't"):
        _ = RuleSet(tmp_path).findings


def test_a_finding_with_everything(tmp_path: Path) -> None:
    text = f'{FINDING}names = ["a", "b"]\nclaims = true\nhints = ["h"]\nown = {{ x = 1 }}\n'
    make_tree(tmp_path, {**SMALL, "checks/HP-A-001.toml": text})
    rule = RuleSet(tmp_path).findings["HP-A-001"]
    assert (rule.severity, rule.names, rule.claims) == (Severity.REVIEW, {"a", "b"}, True)
    assert (rule.hints, dict(rule.data)) == (("h",), {"own": {"x": 1}})


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


# How it is found


def test_an_installed_wheel_brings_its_own_rules(tmp_path: Path) -> None:
    """Away from the checkout, with nothing of it on the path."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    options = ["--no-deps", "--no-index", "--no-build-isolation"]
    build = [*pip, "wheel", *options, "--wheel-dir", str(tmp_path), str(CHECKOUT)]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("hipport-*.whl")
    site = tmp_path / "site"
    subprocess.run([*pip, "install", *options, "--target", str(site), str(wheel)], check=True)
    rules = site / "hipport/rules"
    names = [path.relative_to(CHECKOUT / "rules") for path in (CHECKOUT / "rules").rglob("*.t*")]
    assert all((rules / name).is_file() for name in names)
    # A line that the checkout does not have shows whose rules are read.
    with (rules / "api/thrust.tsv").open("a", encoding="utf-8") as file:
        file.write("thrust::zzz\tnamespace\thip::zzz\t\tsupported\n")
    make_tree(tmp_path / "src", {"a.cu": "int main() { return cudaDeviceSynchronize(); }\n"})

    def run(*arguments: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "hipport", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(site)},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    where = [sys.executable, "-c", "import hipport; print(hipport.__file__)"]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    found = subprocess.check_output(where, cwd=tmp_path, env=environment, text=True)
    assert Path(found.strip()) == site / "hipport/__init__.py"
    assert run("rules", "list", "--library", "thrust").out.endswith(
        "thrust::zzz\thip::zzz\t\tnamespace\tsupported\n"
    )
    assert run("rules", "check") == Ran(0, "The rules are consistent.\n", "")
    assert run("convert", "src") == Ran(0, "", "")
    assert "hipDeviceSynchronize" in (tmp_path / "src_hip/a.cu").read_text()

    shutil.rmtree(rules)
    done = run("rules", "check")
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_the_checkout_brings_its_rules_too() -> None:
    assert load().folder == CHECKOUT / "rules"
