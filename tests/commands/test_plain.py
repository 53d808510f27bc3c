"""Commands called with names of files alone: the same with click and without it."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport import __main__ as program
from hipport import __version__
from hipport.commands import plain
from hipport.rulebook.edition import edition
from tests.support.binaries import BINARY, CORRUPT

GOOD = BINARY / "elf-plain/libplain.so"
FILES = [
    str(GOOD),
    str(BINARY / "bundles/v2.hipfb"),
    str(CORRUPT / "control-characters"),
    str(CORRUPT / "archive-truncated"),
    str(CORRUPT),
    str(BINARY / "README.md"),
    "/nothing/here",
    "",
    "\udcff",
    "a\nb",
    "list",
    "+x",
    "@file",
]
OPTIONS = ["--", "-", "-h", "--help", "--format", "json", "--format=text", "--targets", "--mangled"]


def outcome(arguments: list[str]) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of a call of the program, within this process."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["hipport", *arguments])
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD.read_bytes())))
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as left,
        ):
            program.main()
    return left.value.code, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def click_alone() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain, "COMMANDS", {})
        yield


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(plain.COMMANDS)),
    st.lists(st.sampled_from(FILES) | st.sampled_from(OPTIONS), max_size=4),
)
@example("fatbin list", [str(GOOD)])
@example("fatbin kernels", [str(GOOD), "/nothing/here"])
@example("fatbin list", FILES[:5])
def test_both_ways_say_the_same(command: str, arguments: list[str]) -> None:
    call = [*command.split(), *arguments]
    ours = outcome(call)
    with click_alone():
        assert outcome(call) == ours


@pytest.mark.parametrize("command", plain.COMMANDS)
def test_names_alone_do_without_click_and_options_do_not(command: str) -> None:
    words = command.split()
    assert plain.command([*words, str(GOOD)]) is not None
    for arguments in ([], ["--help"], [str(GOOD), "--format", "json"], ["--", str(GOOD)], ["-"]):
        assert plain.command([*words, *arguments]) is None
    assert plain.command([command, str(GOOD)]) is None
    assert plain.command(words[:1]) is None


def test_the_version_needs_no_click(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain.command(["--version"]) is not None
    assert plain.command(["--version", "convert"]) is None
    ours = outcome(["--version"])
    date, rocm = edition()
    text = f"hipport {__version__}, rules of {date}, ROCm up to {rocm}\n"
    assert ours == (0, text, "")
    monkeypatch.setattr(plain, "command", lambda _: None)
    assert outcome(["--version"]) == ours
    assert outcome(["--version", "convert"]) == ours


@pytest.mark.parametrize(("command", "module"), plain.COMMANDS.items())
def test_defaults_are_those_of_the_options(
    command: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = importlib.import_module(f"hipport.commands.{command.replace(' ', '.')}")
    parsed: dict[str, Any] = {}
    monkeypatch.setattr(declared, "run", lambda **given: parsed.update(given))
    with pytest.raises(SystemExit):
        declared.command.main(["file"], standalone_mode=False)
    assert parsed.pop("files") == ("file",)
    run = importlib.import_module(f"hipport.commands.plain.{module}").run
    defaults = {name: each.default for name, each in inspect.signature(run).parameters.items()}
    del defaults["files"]
    assert defaults == parsed


def test_completion_of_the_shell_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_HIPPORT_COMPLETE", "bash_complete")
    assert plain.command(["fatbin", "list", str(Path(GOOD))]) is None
