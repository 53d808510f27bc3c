"""What a command loads: heavy libraries only where they are used, seen from sys.modules."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.cli import COMMANDS
from tests.support.command import make_tree

PROBE = """
import json, sys
from hipport.__main__ import main
try:
    main()
except SystemExit as exit:
    code = exit.code
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""
NEVER = {"lief", "msgpack", "textual", "clang", "jinja2", "yaml", "requests", "asyncio", "pathspec"}
PARSER = {"tree_sitter", "tree_sitter_cuda", "tree_sitter_python"}
TERMINAL = {"rich"}
PROCESSES = {"multiprocessing", "concurrent.futures.process"}
DIFFERENCES = {"difflib"}
SLOW_TO_LOAD = {"shutil", "tempfile", "random"}
HEAVY = NEVER | PARSER | TERMINAL | PROCESSES | DIFFERENCES
CUDA = "__global__ void k();\nvoid f() { cudaFree(0); k<<<1, 2>>>(); }\n"
PLAIN = "// Plain C++ that means something.\nint main() { return malloc(4) != 0; }\n"


def loaded(folder: Path, *arguments: str, stdin: bytes = b"", of: set[str] = HEAVY) -> set[str]:
    """Which modules of a set a command loads, its output piped."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        check=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return of & set(modules)


@pytest.mark.parametrize(
    "arguments",
    ["--help", "--version", "convert --help", "fatbin --help", "rules --help", "rules stats"],
)
def test_help_loads_nothing_heavy(tmp_path: Path, arguments: str) -> None:
    assert loaded(tmp_path, *arguments.split()) == set()


AUDITS = ("audit report", "audit check", "audit explain", "audit merge")


# `rules` is all about the rulebook, and loads what reads it.
@pytest.mark.parametrize("command", sorted((COMMANDS.keys() - {"rules"}).union(AUDITS)))
def test_the_help_of_a_command_loads_nothing_that_does_its_work(
    tmp_path: Path, command: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *command.split(), "--help"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    _, modules = json.loads(done.stderr.splitlines()[-1])
    work = ("hipport.source.", "hipport.trace.model", "hipport.verification.model", "msgspec")
    found = {each for each in modules if each.startswith(work)}
    assert found == set()


OWN = {
    "--help": {"hipport.cli", "hipport.commands.lazy"},
    "--version": {
        "hipport.commands.pathlib_alone",
        "hipport.commands.plain.version",
        "hipport.rulebook",
        "hipport.rulebook.edition",
    },
}


@pytest.mark.parametrize(("name", "own"), OWN.items())
def test_the_program_itself_loads_no_part_of_it(tmp_path: Path, name: str, own: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, name], cwd=tmp_path, capture_output=True, check=True
    )
    _, modules = json.loads(done.stderr.splitlines()[-1])
    ours = {each for each in modules if each.partition(".")[0] == "hipport"}
    assert ours == own | {
        "hipport",
        "hipport.__main__",
        "hipport.commands",
        "hipport.commands.plain",
        "hipport.errors",
        "hipport.quick_imports",
    }


BESIDE = {"urllib.parse", "ipaddress", "typing_extensions"}


@pytest.mark.parametrize(
    "arguments", ["--version", "check a.cu", "convert --diff a.cu", "compat a.cu -o a.h"]
)
def test_what_libraries_load_beside_is_left_out(tmp_path: Path, arguments: str) -> None:
    make_tree(tmp_path, {"a.cu": PLAIN})
    assert loaded(tmp_path, *arguments.split(), of=BESIDE) == set()


OF_OTHER_RUNS = {
    "hipport.gitindex",
    "hipport.report.effort",
    "hipport.source.audit.notebook_parts",
    "hipport.source.convert.call_arguments",
    "hipport.source.convert.called_helpers",
    "hipport.source.text.expressions_of_rules",
    "hipport.source.text.sound_edits",
}


def test_checking_a_file_loads_nothing_that_it_has_no_use_for(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": CUDA})
    assert loaded(tmp_path, "check", "--fail-on", "never", "a.cu", of=OF_OTHER_RUNS) == set()


def test_converting_loads_the_parser_alone(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cu": CUDA})
    wanted = HEAVY | SLOW_TO_LOAD
    assert loaded(tmp_path, "convert", "src", of=wanted) == {"tree_sitter", "tree_sitter_cuda"}
    assert loaded(tmp_path, "convert", "-", stdin=CUDA.encode()) == {
        "tree_sitter",
        "tree_sitter_cuda",
    }


def test_a_tree_without_cuda_is_not_parsed(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cc": PLAIN, "src/b.h": "#pragma once\n", "src/c.py": "import os\n"})
    assert loaded(tmp_path, "convert", "src", "--report", "report.json") == set()


def test_a_python_file_that_a_rule_is_about(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/c.py": "import apex\n"})
    assert loaded(tmp_path, "convert", "--fail-on", "never", "src") <= PARSER


def test_what_options_need(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.cc": PLAIN})
    assert loaded(tmp_path, "convert", "--exclude", "x", "src") == set()
    # With several processes the parser is loaded once, before they fork.
    parser = {"tree_sitter", "tree_sitter_cuda"}
    assert loaded(tmp_path, "convert", "--jobs", "2", "src") == PROCESSES | parser
    make_tree(tmp_path, {"src/.gitignore": "x\n"})
    assert loaded(tmp_path, "convert", "src") == set()
    make_tree(tmp_path, {"src/a.cc": CUDA})
    assert loaded(tmp_path, "convert", "--diff", "src") == {
        *DIFFERENCES,
        "tree_sitter",
        "tree_sitter_cuda",
    }
