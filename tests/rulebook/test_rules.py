"""The rulebook: what is in it, how it is shown and how it is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.model import ApiRule
from tests.support.command import Ran, hipport, make_tree, without_summary
from tests.support.folders import CHECKOUT

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


def test_the_rules_for_one_name() -> None:
    rules = load()
    of_name: dict[str, list[ApiRule]] = {}
    for rule in rules.every_api():
        of_name.setdefault(rule.cuda, []).append(rule)
    several = [name for name, found in of_name.items() if len(found) > 1]
    assert several
    for name in several + list(of_name)[::200]:
        assert list(rules.every_api_of(name)) == of_name[name]
    for name in ("", "cuda", "cudaMalloc\thipMalloc", "nothing"):
        assert list(rules.every_api_of(name)) == of_name.get(name, [])


def test_stats_count_every_line(tmp_path: Path) -> None:
    done = hipport("rules", "stats", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    heading, *rows, last, shapes = done.out.splitlines()
    assert heading.split() == [
        *("library", "supported", "deprecated", "experimental"),
        *("partial", "dropped", "unsupported", "total", "covered"),
    ]
    numbers = {name: list(map(int, counts)) for name, *counts, _ in map(str.split, rows)}
    shares = {name: int(share.removesuffix("%")) for name, *_, share in map(str.split, rows)}
    assert shares == {
        name: (counts[-1] - counts[-2]) * 100 // counts[-1] for name, counts in numbers.items()
    }
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
    borrowed = tomllib.loads((CHECKOUT / "rules/also_converting.toml").read_text())
    findings = len(list((CHECKOUT / "rules/checks").glob("*.toml")))
    findings += len(borrowed)
    start = f"{headers} headers, {transforms} argument rules, {findings} findings; ROCm up to "
    assert last.startswith(start)
    assert shapes.startswith("found by the shape of their names, none of which has a counterpart: ")
    assert {"NPP", "cuDSS", "CUPTI"} <= set(shapes.partition(": ")[2].split(", "))


# How it is shown


def shown(folder: Path, name: str) -> list[list[tuple[str, str]]]:
    """The tables of `hipport rules show`: each a list of (key, value)."""
    done = hipport("rules", "show", "--", name, cwd=folder)
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
    assert rule[-4:-2] == [
        ("library", "runtime"),
        ("signature", "same, by the headers of CUDA 13.5 and HIP 7.2"),
    ]
    assert rule[-2:] == [("link", each) for each in load().libraries["runtime"].docs]
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
            ("title", "Name that looks like CUDA's but has no rule"),
            (
                "message",
                "`{symbol}` looks like a CUDA name, but has no rule; it was left as it is",
            ),
            (
                "suggestion",
                "If it is your own, there is nothing to do."
                " If it is CUDA's, add a line to rules/api.",
            ),
            *(("link", link) for link in load().findings["HP-API-002"].links),
        ]
    ]


def test_show_a_finding_of_the_audit_alone(tmp_path: Path) -> None:
    (finding,) = shown(tmp_path, "HP-ATOM-001")
    assert finding[0] == ("code", "HP-ATOM-001")


@pytest.mark.parametrize(
    ("name", "flag", "hip"),
    [
        (
            "-use_fast_math",
            "-use_fast_math",
            "-fcuda-approx-transcendentals -fgpu-flush-denormals-to-zero"
            " -fno-hip-fp32-correctly-rounded-divide-sqrt",
        ),
        ("-arch=sm_80", "-arch --gpu-architecture", "--offload-arch={target}"),
        ("-lnvidia-ml", "-lnvidia-ml", "-lamd_smi"),
    ],
)
def test_show_a_flag(tmp_path: Path, name: str, flag: str, hip: str) -> None:
    rule, *findings = shown(tmp_path, name)
    assert (dict(rule)["flags"], dict(rule)["hip"]) == (flag, hip)
    assert all(each[0][0] == "code" for each in findings)


def test_show_all_lines_of_a_flag(tmp_path: Path) -> None:
    tables = [dict(table) for table in shown(tmp_path, "-rdc")]
    assert [(each["value"], each["hip"]) for each in tables if "flags" in each] == [
        ("false", "-fno-gpu-rdc"),
        ("true", "-fgpu-rdc"),
    ]


def test_show_names_of_cmake(tmp_path: Path) -> None:
    (target,) = shown(tmp_path, "CUDA::cublas")
    assert target[:2] == [("cuda", "CUDA::cublas"), ("kind", "target")]
    cmake, environment = shown(tmp_path, "CMAKE_CUDA_FLAGS")
    assert ("hip", "CMAKE_HIP_FLAGS") in cmake
    assert ("rocm", "CMAKE_HIP_FLAGS") in environment


def test_show_an_environment_variable(tmp_path: Path) -> None:
    rule, finding = shown(tmp_path, "UCX_TLS")
    assert rule[:2] == [("cuda", "UCX_TLS"), ("kind", "value")]
    assert finding[0][1].startswith("HP-")


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
        hipport("rules", "list", "--library", name, cwd=tmp_path).out
        for name in ("cub", "libcudacxx")
    ]
    assert libraries[1] == (
        "cuda\tcuda\t\tnamespace\tsupported\ncuda::std\tcuda::std\t\tnamespace\tsupported\n"
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


# How it is found


@pytest.mark.slow
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
        return Ran(done.returncode, done.stdout, without_summary(done.stderr))

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


def test_no_name_is_invented() -> None:
    """A name of HIP's that only a late header has says so; one that no header has is no mapping."""
    late = {"rocm10.0"}
    invented = [
        rule.cuda
        for rule in load().every_api()
        if rule.library in ("runtime", "driver") and rule.hip and not rule.hip_added
        if set(rule.evidence.split()) == late or "not_found_in_any_header" in rule.note
    ]
    assert invented == []


@pytest.mark.parametrize("code", ["HP-MEM-010", "HP-TYPE-001", "HP-TYPE-002"])
def test_what_hip_lacks_has_no_counterpart(code: str) -> None:
    rules = load(is_audit=True)
    names = rules.findings[code].names
    assert names
    assert [each for each in sorted(names) if (rule := rules.api(each)) and rule.hip] == []
