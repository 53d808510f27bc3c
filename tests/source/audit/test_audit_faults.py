"""Files that cannot be read, or not as a whole: said in every report, and --strict fails."""

from __future__ import annotations

import errno
import json
import os
import pty
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from hipport.commands.terminal import Terminal
from hipport.runs.audit import audit as run
from hipport.runs.audit_request import AuditRequest
from tests.support.command import Ran, hipport, make_tree
from tests.support.terminal import written_to_terminal

# More than a line may have, of which the rest is not read.
LONG = 300_000
JUNK = random.Random(1).randbytes(100_000)
TREE = {
    "a.cu": "#include <cuda_runtime.h>\nvoid f() { cudaFree(0); }\n",
    "cr.cu": "#include <cuda_runtime.h>\rvoid f() { cudaFree(0); }\r",
    "broken.cmake": 'set(A "never closed)\nfind_package(CUDA)\n',
    "parenthesis.cmake": "set(A\n  (b)\n",
    "broken.py": "import apex\ndef f(:\n  x = = 3\nimport numba.cuda\n",
    "junk.cu": JUNK,
    "junk.py": JUNK,
    "no-zeros.cmake": JUNK.replace(b"\0", b"\1"),
    "one-line.cu": "int x;" * (LONG // 6),
    "one-line.py": "import apex; x = [" + "1," * (LONG // 2) + "]",
    "CMakeLists.txt": "set(X a)" * (LONG // 8) + "find_package(CUDA)",
    "large.py": "import apex\n" + "x = 1\n" * 200_000,
    "large.cu": "__global__ void k();\n" + "int x;\n" * 700_000,
    "utf16.cu": "cudaFree(0);\n".encode("utf-16"),
    "notes.md": "nothing that the audit reads\n",
}
LONG_LINE = "a line above 262,144 bytes, too long to be written by hand"
REASONS = {
    "CMakeLists.txt": ("partial", "lines longer than 4,096 bytes were searched that far only"),
    "broken.cmake": ("partial", "broken CMake: what opens in line 1 is never closed"),
    "broken.py": ("partial", "broken Python in line 2: findings around it may be missing"),
    "cr.cu": ("skipped", "lines that end in CR alone (save it with LF or CRLF)"),
    "junk.cu": ("skipped", "binary data in a text file"),
    "junk.py": ("skipped", "binary data in a text file"),
    "large.cu": ("skipped", "larger than 4 MiB"),
    "large.py": ("skipped", "larger than 1 MiB"),
    "no-zeros.cmake": ("skipped", "binary data in a text file"),
    "one-line.cu": ("skipped", LONG_LINE),
    "one-line.py": ("skipped", LONG_LINE),
    "parenthesis.cmake": ("partial", "broken CMake: `(` in line 1 is never closed"),
    "utf16.cu": ("skipped", "UTF-16 text (save it as UTF-8)"),
}
SUM = "9 files skipped, 4 files read in part"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("faults"), TREE)


@cache
def audit(tree: Path, *arguments: str) -> Ran:
    return hipport("audit", ".", *arguments, cwd=tree)


@pytest.mark.slow
def test_json_has_status_and_reason(tree: Path) -> None:
    code, out, _ = audit(tree, "--format", "json", "--fail-on", "never")
    assert code == 0
    report = json.loads(out)
    told = {
        each["path"]: (each["status"], each["reason"])
        for each in report["files"]
        if "reason" in each
    }
    assert told == REASONS
    assert (report["summary"]["skipped"], report["summary"]["partial"]) == (10, 4)
    found = {each["path"]: each["line"] for each in report["findings"]}
    assert found == {"broken.cmake": 2, "broken.py": 4}


def test_text_names_each_and_counts(tree: Path) -> None:
    _, out, error = audit(tree, "--format", "text")
    for path, (status, reason) in REASONS.items():
        told = f"hipport: {path}: {reason}"
        assert f"{told}, skipped" in error if status == "skipped" else told in error
    lines = out.splitlines()
    assert "junk.cu and 2 more: skipped: binary data in a text file" in lines
    assert f"broken.py: read in part: {REASONS['broken.py'][1]}" in lines
    assert f"utf16.cu: skipped: {REASONS['utf16.cu'][1]}" in lines
    assert lines[-1] == SUM


@pytest.mark.parametrize("format_", ["rich", "markdown", "html"])
def test_reports_for_people_count_them(tree: Path, format_: str) -> None:
    out = audit(tree, "--format", format_)[1]
    assert SUM in out
    last = {"rich": "… 5 more", "markdown": "UTF-16", "html": REASONS["utf16.cu"][1]}
    assert last[format_] in out


@pytest.mark.slow
def test_strict_fails_and_nothing_else_does(tree: Path) -> None:
    assert audit(tree, "--fail-on", "never")[0] == 0
    assert audit(tree, "--fail-on", "never", "--strict")[0] == 2
    assert audit(tree, "--fail-on", "manual", "--strict")[0] == 2
    assert hipport("audit", "a.cu", "--strict", cwd=tree)[0] == 0


def test_a_closed_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_tree(tmp_path, {"src/a.cu": "int x;\n", "b.cu": "int y;\n"})
    monkeypatch.chdir(tmp_path)
    listed = os.scandir

    def closed(path: Path) -> object:
        if Path(path).name == "src":  # permissions do not stop root, who may run this
            raise PermissionError(errno.EACCES, "Permission denied")
        return listed(path)

    monkeypatch.setattr("hipport.files.os.scandir", closed)
    result = run(AuditRequest((".",), isolated=True, jobs=1), Terminal(100))
    assert result.faults
    rows = [(file.path, file.status, file.reason) for file in result.report.files]
    reason = "cannot list the folder: Permission denied"
    assert rows == [("b.cu", "audited", ""), ("src", "skipped", reason)]
    said = f"hipport: src: {reason} (check its permissions)\n"
    assert capsys.readouterr() == ("", said)


def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    make_tree(tmp_path, {f"{number}.cu": "int x;\n" for number in range(150)})
    command = [sys.executable, "-m", "hipport", "audit", ".", "--format", "text"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    shown = written_to_terminal(process, ours, theirs)
    assert process.stdout is not None
    out = process.stdout.read()
    assert process.wait() == 0
    assert b"Auditing" in shown and b"100%" in shown
    assert out == b"0 findings in 150 files\n"
    assert audit(tmp_path) == (0, "0 findings in 150 files\n", "")
