"""Programs that are given parts of an input have bounds on time, memory and output."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import pytest
from click.testing import CliRunner

from hipport.cli import root
from hipport.fatbin.object import demangle as demangling
from hipport.fatbin.object import disassembly as disasm
from hipport.programs import bounded
from hipport.source.tree import hand_edits
from hipport.verification.parser_process import Child
from tests.support.command import make_tree, read_tree

HOARDS = "x = bytearray(8 << 30); print(len(x))"
ENDLESS = "import sys\nwhile True: sys.stdout.write('x' * 4096)"
TRICKLES = "import time\nwhile True: print(end='x', flush=True); time.sleep(0.2)"
SLEEPS = "import time; time.sleep(600)"


def program(folder: Path, code: str) -> str:
    path = folder / "program"
    path.write_text(f"#!{sys.executable}\n{code}\n")
    path.chmod(0o755)
    return str(path)


def test_bounds_hold_in_the_child(tmp_path: Path) -> None:
    bounds = bounded(memory=1 << 30, output=1 << 20)
    with (tmp_path / "out").open("wb") as out:
        done = run([sys.executable, "-c", HOARDS], preexec_fn=bounds, stdout=out, stderr=out)
        assert done.returncode == 1 and b"MemoryError" in (tmp_path / "out").read_bytes()
        done = run([sys.executable, "-c", ENDLESS], preexec_fn=bounds, stdout=out, stderr=out)
    assert done.returncode != 0 and (tmp_path / "out").stat().st_size == 1 << 20


@pytest.mark.slow
def test_a_demangler_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for code in (HOARDS, ENDLESS):
        monkeypatch.setattr(demangling, "find_program", lambda _, c=code: program(tmp_path, c))
        assert demangling._filtered(["_Z1fv"]) == {}
    monkeypatch.setattr(demangling, "find_program", lambda _: program(tmp_path, SLEEPS))
    monkeypatch.setattr(demangling, "_SECONDS", 1)
    assert demangling._filtered(["_Z1fv"]) == {}
    long = "print('x' * 100_000); print('g()')"
    monkeypatch.setattr(demangling, "find_program", lambda _: program(tmp_path, long))
    assert demangling._filtered(["_Z1fv", "_Z1gv"]) == {"_Z1gv": "g()"}


def test_a_demangler_that_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = tmp_path / "child.py"
    child.write_text("print('f()', flush=True)\n")
    monkeypatch.setattr(demangling, "_CHILD", child)
    monkeypatch.setattr(demangling, "find_program", lambda _: program(tmp_path, "print('g()')"))
    assert demangling.demangle(["_Z1fv", "_Z1gv", "_Z1hv"]) == {"_Z1fv": "f()", "_Z1gv": "g()"}


def test_without_names_no_demangler_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: object, **__: object) -> None:
        raise AssertionError("started")

    monkeypatch.setattr(demangling.subprocess, "run", unwanted)
    monkeypatch.setattr(demangling.subprocess, "Popen", unwanted)
    assert demangling.demangle([]) == demangling.demangle(["main", "_Z1f\nv"]) == {}


@pytest.mark.slow
def test_a_disassembler_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for code in (HOARDS, ENDLESS):
        text, problem = disasm._run([sys.executable, "-c", code], lambda: False)
        assert text == "" and "exit code" in problem
    monkeypatch.setattr(disasm, "SECONDS", 1)
    problem = disasm._run([sys.executable, "-c", SLEEPS], lambda: False)[1]
    assert problem == f"{sys.executable}: took longer than 1 s"


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (HOARDS, "libclang ended (1)"),
        (SLEEPS, "took longer than 1 s"),
        (TRICKLES, "took longer than 1 s"),
        (ENDLESS, "too many errors to read"),
    ],
)
def test_libclang_is_bounded(tmp_path: Path, code: str, problem: str) -> None:
    program = tmp_path / "child.py"
    version = 'print(\'{"version": "x"}\', flush=True); input()\n'
    program.write_text(f"{version}{code}\n")
    child = Child("", 60 if code == ENDLESS else 1, program)
    try:
        assert child.start() == "x"
        assert child.ask({}) == {"problem": problem}
    finally:
        child.end()


def test_a_merge_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["convert", str(tmp_path / "src"), "--jobs", "1"]
    make_tree(tmp_path, {"src/a.cu": "cudaError_t e;\n"})
    assert CliRunner().invoke(root, arguments).exit_code == 0
    files = {"src/a.cu": "cudaError_t e, f;\n", "src_hip/a.cu": "hipError_t by_hand;\n"}
    make_tree(tmp_path, files)
    for code, reason in ((SLEEPS, "took longer than 1 s"), (HOARDS, "MemoryError")):
        monkeypatch.setattr(hand_edits, "find_program", lambda _, c=code: program(tmp_path, c))
        monkeypatch.setattr(hand_edits, "_SECONDS", 1 if code == SLEEPS else 60)
        result = CliRunner().invoke(root, arguments)
        assert result.exit_code == 2 and reason in result.output
        assert read_tree(tmp_path / "src_hip") == {"a.cu": files["src_hip/a.cu"]}
