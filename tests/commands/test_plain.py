"""Commands called with names of files and few options: the same with click and without it."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport import __main__ as program
from hipport import __version__
from hipport.commands import plain
from hipport.rulebook.edition import edition
from hipport.runs.audit_request import AuditRequest
from hipport.runs.convert_request import ConvertRequest
from tests.support.binaries import BINARY, CORRUPT

ROOT = Path(__file__).parents[2]
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
REQUESTS = {
    "audit report": AuditRequest(),
    "check": AuditRequest(),
    "convert": ConvertRequest(),
}
NEEDED = {"compat": ["-o", "cuda_to_hip.h"]}
LISTS = ("targets", "select", "ignore")
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
    st.sampled_from(["fatbin list", "fatbin kernels"]),
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


NAMES = ["cudaMalloc", "HP-WARP-001", "cublas_v2.h", "nppiAddC_8u_C1RSfs", "cudaMaloc", "", "a\nb"]


@settings(deadline=None, max_examples=20)
@given(st.lists(st.sampled_from(NAMES) | st.sampled_from(OPTIONS), max_size=2))
@example(["cudaMalloc"])
@example(["cudaMaloc"])
@example(["cudaMalloc", "cudaFree"])
@example(["--", "-arch=sm_80"])
def test_both_ways_show_the_same(words: list[str]) -> None:
    call = ["rules", "show", *words]
    ours = outcome(call)
    with click_alone():
        assert outcome(call) == ours


SOURCES = ["ported.hip", "kernel.cu", "folder", "missing.cu", "", "a\nb.cu"]
WORDS = [
    *(
        "-o",
        "out",
        "cuda_to_hip.h",
        "--output",
        "-",
        "--fail-on",
        "review",
        "never",
        "worse",
        "--fail-on=info",
    ),
    *("--in-place", "--exit-non-zero-on-change", "-q", "--quiet", "-qo", "--", "--diff", "--check"),
    *(
        "--format",
        "json",
        "--all-places",
        "-o",
        "report.md",
        "--jobs",
        "1",
        "2",
        "0",
        "257",
        "--report",
        "report.json",
        "report.nothing",
    ),
]


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["audit report", "check", "compat", "convert"]),
    st.lists(st.sampled_from(SOURCES) | st.sampled_from(WORDS), max_size=5),
)
@example("audit report", ["folder", "kernel.cu"])
@example("audit report", ["folder", "--format", "json", "--fail-on", "never", "--all-places"])
@example("audit report", ["folder", "-o", "report.md", "--jobs", "1"])
@example("audit report", ["folder", "-o", "report.nothing"])
@example("audit report", ["folder", "--format", "xml"])
@example("check", ["ported.hip"])
@example("check", ["kernel.cu", "ported.hip", "--fail-on", "never"])
@example("check", ["missing.cu"])
@example("compat", ["folder", "-o", "cuda_to_hip.h"])
@example("compat", ["kernel.cu", "missing.cu", "--output", "cuda_to_hip.h"])
@example("compat", ["kernel.cu", "-o", "folder"])
@example("compat", ["kernel.cu", "-o", "out"])
@example("compat", ["kernel.cu"])
@example("convert", ["kernel.cu"])
@example("convert", ["folder", "-o", "out", "--fail-on", "review"])
@example("convert", ["folder", "--output", "kernel.cu"])
@example("convert", ["--in-place", "--exit-non-zero-on-change", "--fail-on", "never", "kernel.cu"])
@example("convert", ["folder", "-q", "--fail-on", "worse"])
@example("convert", ["folder", "-o"])
@example("convert", ["folder", "--diff"])
@example("convert", ["kernel.cu", "--diff", "--in-place"])
@example("convert", ["kernel.cu", "ported.hip", "--check"])
@example("convert", [""])
@example("convert", ["folder", "--jobs", "2", "--report", "report.json", "-o", "out"])
@example("convert", ["folder", "--jobs", "0"])
@example("convert", ["folder", "--report", "folder"])
@example("convert", ["folder", "--report", "report.nothing"])
def test_both_ways_do_the_same(command: str, words: list[str]) -> None:
    with _sources():
        ours = outcome([*command.split(), *words]), _files()
    with _sources(), click_alone():
        assert (outcome([*command.split(), *words]), _files()) == ours


@contextlib.contextmanager
def _sources() -> Iterator[None]:
    """A working folder with sources in CUDA and in HIP, always of the same name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("ported.hip").write_text("#include <hip/hip_runtime.h>\n")
        cuda = "#include <cuda_runtime.h>\nint main() { return cudaDeviceReset(); }\n"
        Path("kernel.cu").write_text(cuda)
        Path("folder").mkdir()
        Path("folder/kernel.cu").write_text(cuda + "int a = warpSize, b = __ballot(1);\n")
        yield


def _files() -> dict[str, bytes]:
    names = sorted(path for path in Path().rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in names}


@pytest.mark.parametrize("command", plain.COMMANDS)
def test_names_alone_do_without_click_and_other_options_do_not(command: str) -> None:
    words = command.split()
    assert plain.command([*words, str(GOOD), *NEEDED.get(command, ())]) is not None
    for arguments in ([], ["--help"], [str(GOOD), "--format", "xml"], ["--", str(GOOD)], ["-"]):
        assert plain.command([*words, *arguments]) is None
    assert plain.command(words[:-1]) is None


def test_hooks_do_without_click() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in (each for each in hooks if "fatbin" not in each["id"]):
        assert plain.command([*hook["entry"].split()[1:], "kernel.cu"]) is not None


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


@pytest.mark.parametrize(
    ("command", "module"), [each for each in plain.COMMANDS.items() if each[0] not in plain.ALONE]
)
def test_defaults_are_those_of_the_options(
    command: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = importlib.import_module(f"hipport.commands.{command.replace(' ', '.')}")
    parsed: dict[str, Any] = {}
    monkeypatch.setattr(declared, "run", lambda **given: parsed.update(given))
    with pytest.raises(SystemExit):
        declared.command.main(["file", *NEEDED.get(command, ())], standalone_mode=False)
    run = importlib.import_module(f"hipport.commands.plain.{module}").run
    first, *others = inspect.signature(run).parameters.values()
    assert parsed.pop(first.name) == ("file",)
    asked = any(each.kind is each.VAR_KEYWORD for each in others)
    if needed := plain.REQUIRED.get(command):
        assert str(parsed.pop(needed)) == NEEDED[command][1]
        others = [each for each in others if each.name != needed]
    defaults = {each.name: each.default for each in others if each.kind is not each.VAR_KEYWORD}
    assert {name: parsed.pop(name) for name in defaults} == defaults
    request: Any = REQUESTS.get(command)
    assert bool(parsed) is asked
    assert {name: getattr(request, name) for name in parsed} == {
        # Words between commas are a list in the request.
        name: tuple(filter(None, value.split(","))) if name in LISTS else value
        for name, value in parsed.items()
    }


def test_completion_of_the_shell_is_left_to_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_HIPPORT_COMPLETE", "bash_complete")
    assert plain.command(["fatbin", "list", str(Path(GOOD))]) is None
