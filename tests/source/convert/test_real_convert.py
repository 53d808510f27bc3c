"""`hipport convert` on CUDA code that others wrote: what it must keep, change and report."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hipport.files import MEMORY
from tests.support.conversion_checks import differences, source_lines
from tests.support.folders import CHECKOUT
from tests.support.left_over import left_headers, left_launches, left_names, own_names
from tests.support.real_trees import trees, unpacked
from tests.support.tokens import decode

pytestmark = pytest.mark.real

SCHEMA = CHECKOUT / "hipport" / "report" / "report.schema.json"
CODE = {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".hxx", ".inl"}
COPY = "HP-VENDOR-001"
ELSEWHERE = {"HP-WARP-003", "HP-RTC-007", COPY}
"""Findings at an argument of the function that is their symbol, at the literal that holds it, or at
a file of the folder."""
USERS_OWN = {"saturate"}
"""CUDA names that the trees have for things of their own: a template parameter."""
HELPERS = {"hipport_warp32.h", "hipport_device.h"}
FOLDERS = [f"{name}/{folder}" for name, tree in trees().items() for folder in tree.folders]
LIKEWISE = re.compile(r"likewise in line ((?:\d+, )*\d+)")
# Such a condition is no finding: whoever wrote it has thought of HIP.
ASKS_FOR_HIP = re.compile(r"\s*#\s*(?:el)?if.*(?:HIP|ROCM)")


def asks_for_hip(lines: list[str], line: int) -> bool:
    first = line - 1
    while first and lines[first - 1].endswith("\\"):
        first -= 1
    return ASKS_FOR_HIP.match("".join(lines[first:line])) is not None


def names_line(finding: dict[str, Any], lines: Iterable[int]) -> bool:
    """Whether a finding about one condition names another that is decided with it."""
    named = LIKEWISE.search(finding["message"])
    return named is not None and bool({int(n) for n in named[1].split(", ")} & set(lines))


def convert(
    source: Path, *options: str, cwd: Path = CHECKOUT
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "hipport", "convert", str(source), *options]
    process = subprocess.run(command, cwd=cwd, capture_output=True, check=False)
    assert process.returncode in (0, 1), process.stderr.decode()
    return process


class Conversion:
    """One run of the command over one folder, as a user runs it."""

    def __init__(self, source: Path, work: Path, *options: str) -> None:
        self.source, self.output = source, work / "out"
        report = work / "report.json"
        places = ["-o", str(self.output), "--report", str(report)]
        self.process = convert(source, *places, *options)
        self.report: dict[str, Any] = json.loads(report.read_text("utf-8"))

    def edits(self) -> dict[str, int]:
        return {file["path"]: file["edits"] for file in self.report["files"]}

    def texts(self, path: str) -> tuple[str, str]:
        return decode((self.source / path).read_bytes()), decode((self.output / path).read_bytes())

    @cached_property
    def findings(self) -> dict[tuple[str, int], list[dict[str, Any]]]:
        by_line: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for finding in self.report["findings"]:
            by_line.setdefault((finding["path"], finding["line"]), []).append(finding)
        return by_line


def files(root: Path) -> dict[str, Path]:
    found = (path for path in sorted(root.rglob("*")) if MEMORY not in path.parts)
    return {str(path.relative_to(root)): path for path in found if path.is_file()}


def source_of(folder: str) -> Path:
    name, _, inner = folder.partition("/")
    return unpacked(trees()[name]) / inner


@pytest.fixture(scope="module", params=FOLDERS)
def conversion(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Conversion]:
    work = tmp_path_factory.mktemp("convert")
    yield Conversion(source_of(request.param), work, "--jobs", "1")


def test_it_ends_without_a_traceback(conversion: Conversion) -> None:
    assert b"Traceback" not in conversion.process.stderr + conversion.process.stdout


def test_the_copy_is_complete(conversion: Conversion) -> None:
    before, after = files(conversion.source), files(conversion.output)
    for name in HELPERS.difference(before):
        after.pop(name, None)  # Written where a file calls one of its functions.
    assert sorted(after) == sorted(before)
    modes = {path: file.stat().st_mode for path, file in after.items()}
    assert modes == {path: file.stat().st_mode for path, file in before.items()}


def test_files_without_edits_are_the_same_bytes(conversion: Conversion) -> None:
    edits = conversion.edits()
    after = files(conversion.output)
    changed = {
        p for p, f in files(conversion.source).items() if f.read_bytes() != after[p].read_bytes()
    }
    assert changed == {path for path, count in edits.items() if count}


def test_nothing_but_cuda_is_changed(conversion: Conversion) -> None:
    wrong = {}
    for path, count in conversion.edits().items():
        if count and Path(path).suffix in CODE:
            found = differences(*conversion.texts(path))
            if found:
                wrong[path] = found[:5]
    assert wrong == {}


def test_a_second_conversion_changes_nothing(conversion: Conversion, tmp_path: Path) -> None:
    again = Conversion(conversion.output, tmp_path)
    assert {path: count for path, count in again.edits().items() if count} == {}
    before, after = files(conversion.output), files(again.output)
    assert [p for p, f in before.items() if f.read_bytes() != after[p].read_bytes()] == []


def test_two_jobs_give_the_same_as_one(conversion: Conversion, tmp_path: Path) -> None:
    other = Conversion(conversion.source, tmp_path, "--jobs", "2")
    before, after = files(conversion.output), files(other.output)
    assert [p for p, f in before.items() if f.read_bytes() != after[p].read_bytes()] == []
    for key in ("files", "findings"):
        one, two = json.dumps(conversion.report[key]), json.dumps(other.report[key])
        assert one.replace(str(conversion.output), "") == two.replace(str(other.output), "")


def test_the_diff_leads_from_the_source_to_the_conversion(
    conversion: Conversion, tmp_path: Path
) -> None:
    patched = tmp_path / "patched"
    shutil.copytree(conversion.source, patched)
    diff = convert(conversion.source, "--diff", cwd=conversion.source).stdout
    if diff:
        command = ["patch", "-p1", "--binary", "--quiet", "--no-backup-if-mismatch"]
        subprocess.run(command, cwd=patched, input=diff, check=True)
    before, after = files(conversion.output), files(patched)
    assert [p for p, f in before.items() if f.read_bytes() != after[p].read_bytes()] == []
    assert sorted(after) == sorted(before)


def test_the_report_is_valid_and_its_places_exist(conversion: Conversion) -> None:
    jsonschema.validate(conversion.report, json.loads(SCHEMA.read_text("utf-8")))
    known = files(conversion.source)
    misplaced = []
    for (path, line), found in conversion.findings.items():
        text = decode(known[path].read_bytes()).split("\n")
        for finding in found:
            symbol, column = finding["symbol"], finding["column"]
            if finding["code"] in ELSEWHERE or not re.fullmatch(r"\w+", symbol):
                continue
            if not text[line - 1].startswith((symbol, f'"{symbol}"'), column - 1):
                misplaced.append((path, line, column, symbol))
    assert misplaced == []


def test_every_cuda_name_header_and_launch_left_is_reported(conversion: Conversion) -> None:
    silent = []
    every = (each for found in conversion.findings.values() for each in found)
    copies = tuple(f"{each['symbol']}/" for each in every if each["code"] == COPY)
    code = [path for path in files(conversion.source) if Path(path).suffix in CODE]
    own = set().union(*(own_names(conversion.texts(path)[0]) for path in code))
    headers_of_tree = {Path(path).name for path in code}
    likewise: dict[str, list[dict[str, Any]]] = {}
    for finding in conversion.report["findings"]:
        if LIKEWISE.search(finding["message"]):
            likewise.setdefault(finding["path"], []).append(finding)
    for path in code:
        if path.startswith(copies):
            continue
        before, after = conversion.texts(path)
        left = left_names(after, own) + left_launches(after)
        left += [(name, line) for name, line in left_headers(after) if name not in headers_of_tree]
        origin = source_lines(before, after) if left else []
        lines = after.split("\n")
        for name, line in left:
            found = [f for at in origin[line - 1] for f in conversion.findings.get((path, at), [])]
            found += [f for f in likewise.get(path, ()) if names_line(f, origin[line - 1])]
            reported = any(name in finding["symbol"] for finding in found)
            if not reported and name not in USERS_OWN and not asks_for_hip(lines, line):
                silent.append((path, line, name))
    assert silent == []


# Where DeepSpeed compiles an operator when it runs: OpBuilder(...).load() and PyTorch's load.
JIT_LOADS = {
    ("async_io.py", 102),
    ("builder.py", 613),
    ("cpu/async_io.py", 78),
    ("klxpu/async_io.py", 77),
    ("npu/async_io.py", 88),
    ("supa/async_io.py", 77),
    ("xpu/async_io.py", 90),
    ("xpu/builder.py", 176),
}


def test_operators_that_deepspeed_compiles_at_run_time_are_reported(tmp_path: Path) -> None:
    source = source_of("deepspeed/op_builder")
    found = Conversion(source, tmp_path).findings
    builders = {
        (path.relative_to(source).as_posix(), number)
        for path in source.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.match(r"class \w+Builder\(", line)
    }
    reported = {place for place in found if place[0].endswith(".py")}
    assert reported >= JIT_LOADS
    assert reported - JIT_LOADS <= builders
