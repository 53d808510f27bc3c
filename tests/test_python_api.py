"""The page on the Python API: its examples run, and what it promises is there."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hipport
from tests.support.binaries import BINARY
from tests.support.folders import CHECKOUT

PAGE = CHECKOUT / "docs/python-api.md"
TEXT, _, VERIFY = PAGE.read_text(encoding="utf-8").partition("\n## Verify\n")
CONVERT = TEXT[TEXT.index("## Convert a text") : TEXT.index("## Audit")]
OFFERED = set(dir(hipport)) & {*hipport._MODULES}
HEAVY = {"clang", "click", "filelock", "jinja2", "lief", "msgpack", "rich", "textual"}


def examples(text: str) -> str:
    """The code blocks of a page in their order."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))


def run(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the examples in a folder that has a library."""
    shutil.copy(BINARY / "elf-plain/libplain.so", folder)
    monkeypatch.chdir(folder)
    found = doctest.DocTestParser().get_doctest(examples(text), {}, PAGE.name, str(PAGE), 0)
    assert found.examples
    said: list[str] = []
    result = doctest.DocTestRunner().run(found, out=said.append)
    assert result.failed == 0, "".join(said)


def test_the_examples_do_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(TEXT, tmp_path, monkeypatch)


@pytest.mark.toolchain
def test_verification_does_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(CONVERT + VERIFY, tmp_path, monkeypatch)


def test_the_command_line_prints_what_it_shows(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```console\n(.*?)^```$", TEXT, re.M | re.S)
    command, _, expected = block.removeprefix("$ python ").partition("\n")
    arguments = [sys.executable, *shlex.split(command)]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (expected, "")


def loaded(code: str, folder: Path) -> set[str]:
    """The modules that a program loads besides those of a bare interpreter."""
    program = f"import sys; before = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_import_loads_nothing_and_each_name_what_it_needs(tmp_path: Path) -> None:
    assert loaded("import hipport", tmp_path) == {"hipport"}
    convert = "import hipport; hipport.convert(b'cudaFree(p);', 'a.cu')"
    assert loaded(convert, tmp_path) & HEAVY == set()
    assert loaded("import hipport; hipport.audit('.')", tmp_path) & HEAVY == set()
    shutil.copy(BINARY / "elf-plain/libplain.so", tmp_path)
    lists = "import hipport; list(hipport.open_binary('libplain.so'))"
    assert loaded(lists, tmp_path) & HEAVY == set()


def test_no_module_takes_the_place_of_a_function() -> None:
    modules = {each.name for each in pkgutil.iter_modules(hipport.__path__)}
    for name in OFFERED & modules:
        assert importlib.import_module(f"hipport.{name}") is getattr(hipport, name)
        assert inspect.isfunction(getattr(hipport, name))


@pytest.mark.parametrize("name", sorted(hipport._MODULES))
def test_what_is_offered_is_there_and_described(name: str) -> None:
    assert getattr(hipport, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = hipport.nothing


@pytest.mark.slow
def test_types_of_what_is_offered(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(
        f"import hipport\nnames = [{', '.join(f'hipport.{name}' for name in sorted(OFFERED))}]\n"
        "done: hipport.ConvertedText = hipport.convert(b'', 'a.cu')\n"
        "tree: hipport.Conversion = hipport.convert('src')\n"
        "wrong: int = hipport.audit('src')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "user.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    faults = [line for line in checked.stdout.splitlines() if "error:" in line]
    assert len(faults) == 1 and 'has type "Audit", variable has type "int"' in faults[0]
