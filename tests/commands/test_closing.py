"""How commands end without a terminal: why the exit code is what it is, and what comes next."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Ran, hipport, make_tree

CUDA = "#include <cuda_runtime.h>\nint f(void **p) { return cudaMalloc(p, 4); }\n"
LEFT = "int g() { return cudaDeviceFlushGPUDirectRDMAWrites(x, y); }\n"


def converted(folder: Path, *arguments: str) -> Ran:
    return hipport("convert", *arguments, cwd=folder, keeps_summary=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    make_tree(tmp_path / "src", {"a.cu": CUDA + LEFT, "sub/b.txt": ""})
    return tmp_path


def test_a_log_says_why_and_what_next(tree: Path) -> None:
    assert converted(tree, "src") == Ran(
        1,
        "",
        "2 files: 1 converted, 1 copied; 2 edits; result in src_hip\n"
        "1 finding: 1 manual\n"
        "exit code 1: 1 finding is manual or worse\n"
        "next: hipport convert --report todo.html src  # each finding, with what to do\n"
        "      hipport verify --original src src_hip   # does it compile\n",
    )


def test_the_commands_that_come_next_work(tree: Path) -> None:
    shown = converted(tree, "--exclude", "*.py", "src").err
    report = shown.partition("next: hipport ")[2].partition("#")[0]
    assert report.strip() == "convert --report todo.html --exclude '*.py' src"
    ran = hipport(*shlex.split(report), cwd=tree)
    assert (ran.code, ran.err) == (1, "")
    assert "src/a.cu" in (tree / "todo.html").read_text()


def test_nothing_left(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": CUDA})
    assert converted(tmp_path, "a.cu").err == (
        "1 file: 1 converted; 2 edits; result in a_hip.cu\n"
        "next: hipport verify --original a.cu a_hip.cu  # does it compile\n"
    )
    assert converted(tmp_path, "--quiet", "a.cu").err == ""


def test_in_place_and_check(tree: Path) -> None:
    assert converted(tree, "--check", "--fail-on", "never", "src").err == (
        "2 files: 1 converted, 1 skipped; 2 edits\n"
        "1 finding: 1 manual\n"
        "exit code 1: 1 file would change\n"
        "next: hipport convert --report todo.html --fail-on never src"
        "  # each finding, with what to do\n"
    )
    assert converted(tree, "--in-place", "src").err == (
        "2 files: 1 converted, 1 skipped; 2 edits; changed in place\n"
        "1 finding: 1 manual\n"
        "exit code 1: 1 finding is manual or worse\n"
        "next: hipport audit --report todo.html src  # each finding, with what to do\n"
        "      hipport verify src                    # does it compile\n"
    )


def test_a_file_that_could_not_be_read(tree: Path) -> None:
    (tree / "src/bad.cu").write_bytes(b"\0")
    lines = converted(tree, "src").err.splitlines()
    assert lines[0].startswith("hipport: src/bad.cu: binary data")
    assert lines[3] == "exit code 2: 1 file or folder could not be read or written as asked"


def test_an_audit_says_why_it_fails(tree: Path) -> None:
    ran = hipport("audit", "src", cwd=tree, keeps_summary=True)
    assert (ran.code, ran.err) == (1, "exit code 1: 1 finding is manual or worse\n")
    ran = hipport("audit", "--report", "x.html", "src", cwd=tree, keeps_summary=True)
    assert (ran.code, ran.out, ran.err) == (
        1,
        "",
        "1 finding: 0 done by hipport convert, 1 needs a person; report in x.html\n"
        "exit code 1: 1 finding is manual or worse\n",
    )


@pytest.mark.slow
def test_an_interrupted_run_says_how_far_it_came_and_goes_on(tmp_path: Path) -> None:
    make_tree(tmp_path / "src", {f"{number:04}.cu": CUDA * 50 for number in range(600)})
    command = [sys.executable, "-m", "hipport", "convert", "--jobs", "1", "src"]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while not (tmp_path / "src_hip/0003.cu").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.stderr
        told = process.stderr.read().splitlines()
    assert len(told) == 2, told
    first, second = told
    done = re.fullmatch(
        r"hipport: (\d+) of 600 files were done; the same command goes on from there", first
    )
    assert done and 3 <= int(done[1]) < 600
    assert (process.returncode, second) == (130, "hipport: interrupted")
    assert converted(tmp_path, "src").err.startswith("600 files: 600 converted; ")


# One set of formats


BEGINNINGS = {
    "html": "<!DOCTYPE html>",
    "json": '{\n "schema": "hipport-report/1"',
    "md": "## hipport ",
    "sarif": "{",
    "txt": ("1 finding: ", "3 findings: ", "src/a.cu:"),
    "xml": "<?xml",
}


@pytest.mark.parametrize("ending", BEGINNINGS)
@pytest.mark.parametrize("command", ["convert", "audit", "check"])
def test_the_ending_chooses_the_format(tree: Path, command: str, ending: str) -> None:
    ran = hipport(command, "--report", f"todo.{ending}", "src", cwd=tree)
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    text = (tree / f"todo.{ending}").read_text()
    assert text.startswith(BEGINNINGS[ending])
    assert "cudaDeviceFlushGPUDirectRDMAWrites" in text


@pytest.mark.parametrize(
    "command",
    ["convert", "audit", "check", pytest.param("verify", marks=pytest.mark.toolchain)],
)
def test_an_unknown_ending_is_refused_before_anything_is_done(tree: Path, command: str) -> None:
    ran = hipport(command, "--report", "todo.doc", "src", cwd=tree)
    assert ran == Ran(
        2,
        "",
        "hipport: todo.doc: no report ends like this"
        " (end it in .html, .json, .md, .sarif, .txt, .xml, or give --format)\n",
    )
    assert sorted(path.name for path in tree.iterdir()) == ["src"]
    ran = hipport(command, "--report", "todo.doc", "--format", "json", "src", cwd=tree)
    assert json.loads((tree / "todo.doc").read_text())["command"] in ("convert", "audit", "verify")


def test_a_report_on_a_conversion_has_paths_from_here(tree: Path) -> None:
    ran = hipport("convert", "--report", "-", "--format", "github", "..", cwd=tree / "src/sub")
    assert "file=a.cu," in ran.out  # Not below the working folder: as the tree has it.
    ran = hipport("convert", "--report", "-", "--format", "github", "src", cwd=tree)
    assert ran.out.startswith("::error file=src/a.cu,line=3,")
