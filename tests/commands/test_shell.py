"""Completion in real shells, the manual page, examples of every command, colours."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hipport.cli import root
from hipport.rulebook.load import load
from tests.support.command import hipport, make_tree
from tests.support.folders import CHECKOUT
from tests.support.shells import SHELLS, shell


def commands() -> Iterator[click.Context]:
    """Every command of the program, groups too."""
    pending = [click.Context(root, info_name="hipport")]
    while pending:
        context = pending.pop()
        yield context
        if isinstance(context.command, click.Group):
            for name in context.command.list_commands(context):
                child = context.command.get_command(context, name)
                assert child
                pending.append(click.Context(child, parent=context, info_name=name))


COMMANDS = [pytest.param(each, id=each.command_path) for each in commands()]


# Completion

# (what is typed before Tab, and after it, and what the command then prints)
TYPED = [
    ("hipport brow", "--help", "Usage: hipport browse"),
    ("hipport fatbin ded", "--help", "Usage: hipport fatbin dedupe"),
    ("hipport convert --in-pl", "--help", "Usage: hipport convert"),
    ("hipport config --isolated --format js", ".", '"schema": "hipport-config/1"'),
    ("hipport convert --diff my_ke", "", "-void f() { cudaFree(0); }"),
    ("hipport audit my_ke", "--select HP-MPI", "0 findings in"),
    ("hipport audit --isol", "--select HP-MPI my_kernel.cpp", "0 findings in"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELLS)
def test_tab_completes(name: str, tmp_path: Path) -> None:
    make_tree(tmp_path, {"my_kernel.cpp": "void f() { cudaFree(0); }\n"})
    with shell(name, tmp_path) as terminal:
        for before, after, wanted in TYPED:
            terminal.type(f"{before}\t")
            terminal.wait_for(before)
            terminal.type(f" {after}; echo en''ded\r")
            assert wanted in terminal.wait_for("ended"), terminal.seen


@pytest.mark.slow
@pytest.mark.parametrize("name", SHELLS)
def test_tab_lists_finding_codes(name: str, tmp_path: Path) -> None:
    with shell(name, tmp_path) as terminal:
        terminal.type("hipport audit explain HP-BIN-00\t\t")
        for code in sorted(code for code in load().codes if code.startswith("HP-BIN-")):
            terminal.wait_for(code)


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_of_a_shell(name: str, tmp_path: Path) -> None:
    done = hipport("completion", name, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert f"_HIPPORT_COMPLETE={name}_complete" in done.out


@pytest.mark.parametrize(
    ("words", "loads"),
    [("hipport con", False), ("hipport fatbin ", False), ("hipport audit exp", False)],
)
def test_names_of_commands_are_completed_without_loading_them(
    tmp_path: Path, words: str, loads: bool
) -> None:
    probe = (
        "import sys\nfrom hipport.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('hipport.source' in sys.modules, 'hipport.fatbin' in sys.modules, file=sys.stderr)"
    )
    environment = {
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
        "_HIPPORT_COMPLETE": "bash_complete",
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(CHECKOUT),
    }
    done = subprocess.run(
        [sys.executable, "-c", probe], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == f"{loads} {loads}\n"
    assert done.stdout


# The manual page


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("man")
    done = hipport("man", cwd=folder)
    assert (done.code, done.err) == (0, "")
    (folder / "hipport.1").write_text(done.out)
    return folder / "hipport.1"


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "command", [["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-ww", "-z"]]
)
def test_the_manual_page_is_in_order(manual: Path, command: list[str]) -> None:
    done = subprocess.run([*command, manual], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.toolchain
def test_man_shows_every_command_and_option(manual: Path) -> None:
    shown = subprocess.check_output(["mandoc", "-Tutf8", "-Owidth=400", manual], text=True)
    text = re.sub(r".\x08", "", shown)
    for context in commands():
        if isinstance(context.command, click.Group):
            continue
        assert f"\n   {context.command_path} " in text
        for option in context.command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in text


# Help

# Up to what a shell takes for itself, or the blanks before a remark.
_CALL = re.compile(r"hipport(?:'[^']*'|(?!  )[^|>$)'\"])*")


@pytest.mark.parametrize("context", COMMANDS)
def test_every_command_has_two_examples_that_it_takes(context: click.Context) -> None:
    epilog = context.command.epilog or ""
    assert epilog.startswith("\b\nExamples:\n")
    lines = [line.strip() for line in epilog.splitlines()[2:]]
    assert len(lines) >= 2
    ours = [line for line in lines if context.command_path in line]
    assert len(ours) >= 2
    for line in ours:
        call = _CALL.search(line)
        assert call
        takes(shlex.split(call[0])[1:])


def takes(arguments: list[str]) -> None:
    """Have click take the arguments apart; raises if an option or command does not exist."""
    context = root.make_context("hipport", list(arguments))
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert command
        try:
            context = command.make_context(name, rest, parent=context)
        except click.BadParameter as error:
            # The files of an example need not exist.
            assert "does not exist" in error.message
            return


def test_an_example_that_is_wrong_would_be_noticed() -> None:
    with pytest.raises(click.NoSuchOption):
        takes(["convert", "--no-such", "src"])


# The program


def test_the_version_tells_the_day_of_the_rules(tmp_path: Path) -> None:
    edition = load().edition
    told = hipport("--version", cwd=tmp_path).out
    date, rocm = edition.date, edition.rocm
    assert re.fullmatch(rf"hipport \d+\.\d+\.\d+, rules of {date}, ROCm up to {rocm}\n", told)


def test_it_runs_as_a_module_and_as_a_program(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("hipport")
    for command in ([program], [sys.executable, "-m", "hipport"]):
        told = subprocess.check_output([*command, "--version"], cwd=tmp_path, text=True)
        assert told == hipport("--version", cwd=tmp_path).out


BAD = '__global__ void f() {\n  asm("bar.sync 0;");\n}\n'


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1"}, False),
    ],
)
def test_colours(tmp_path: Path, environment: dict[str, str], is_coloured: bool) -> None:
    make_tree(tmp_path, {"a.cu": BAD})
    environment = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm-256color"} | environment
    done = hipport("audit", "--format", "rich", "a.cu", cwd=tmp_path, environment=environment)
    library = CHECKOUT / "fixtures/binary/elf-plain/libplain.so"
    kernels = ("fatbin", "kernels", "--format", "rich", library)
    coloured = re.search(r"\x1b\[[\d;]*3[0-7]", done.out) is not None
    assert coloured == is_coloured
    # Bold type is no colour.
    done = hipport(*kernels, cwd=tmp_path, environment=environment)
    assert ("\x1b[1m" in done.out) == bool(environment["FORCE_COLOR"])
    text = hipport("audit", "a.cu", cwd=tmp_path, environment=environment)
    assert "\x1b" not in text.out


def test_json_is_never_coloured(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": BAD})
    force = {"FORCE_COLOR": "1"}
    done = hipport("audit", "--format", "json", "a.cu", cwd=tmp_path, environment=force)
    assert json.loads(done.out)["command"] == "audit"
