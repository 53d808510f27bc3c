"""kill -9 of `hipport convert`: every file is the old or the new one, and the next run finishes."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest
from click.testing import CliRunner

import hipport.processes
from hipport.cli import run
from hipport.commands.convert import command
from tests.support.command import make_tree
from tests.support.sessions import wait_for_session

HEADER = "#pragma once\n#include <cuda_runtime.h>\n__global__ void k(int n);\n"
CODE = '#include "a/k.cuh"\nvoid f(int n) { k<<<n, 64>>>(n); cudaFree(0); }\n'
FIRST = {
    "a/k.cuh": HEADER,
    "a/b.cu": CODE,
    "plain.cpp": "int x;\n",
    "notes.txt": "one\ntwo\n",
    "z/z.cu": CODE * 20,
}
CHANGED = {"a/b.cu": CODE.replace("0", "p"), "notes.txt": "one\n", "z/y.cu": CODE}
_FOLDERS = ("src", "src_hip")
_SAID = "said.txt"
_Tree = dict[str, bytes]


class Way(NamedTuple):
    """Options of `convert`, and whether the output has an older conversion."""

    options: tuple[str, ...]
    is_again: bool = False


IN_PLACE = Way(("--in-place",))
RENAMED = Way(("--in-place", "--backup", ".orig", "--rename", ".cu=.hip", "--rename", ".cuh=.hh"))
FRESH = Way(("--rename", ".cu=.hip"))
AGAIN = Way((), is_again=True)
WAYS = pytest.mark.parametrize(
    "way", [IN_PLACE, RENAMED, FRESH, AGAIN], ids=["in-place", "renamed", "fresh", "again"]
)


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a run loads is loaded before it is forked."""
    tree = make_tree(tmp_path_factory.mktemp("warm") / "src", FIRST)
    for _ in range(2):
        assert CliRunner().invoke(command, [str(tree), "--jobs", "1"]).exit_code == 0
    assert hipport.processes


def forked(folder: Path, options: tuple[str, ...], before: Callable[[], None]) -> int:
    """Start `hipport convert src` in a process and session of its own; returns its ID."""
    process = os.fork()
    if not process:
        _convert(folder, options, before)
    return process


def _convert(folder: Path, options: tuple[str, ...], before: Callable[[], None]) -> NoReturn:
    code = 99
    try:
        os.setsid()
        sys.stdout = sys.stderr = (folder / _SAID).open("w", buffering=1, encoding="utf-8")
        for stream in (1, 2):
            os.dup2(sys.stderr.fileno(), stream)
        os.chdir(folder)
        sys.argv = ["hipport", "convert", *options, "src"]
        before()
        code = run()
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def finish(folder: Path, options: tuple[str, ...]) -> None:
    """An undisturbed run; what it says is shown where it fails."""
    process = forked(folder, options, lambda: None)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert code == 0, (folder / _SAID).read_text(encoding="utf-8")


def contents(folder: Path) -> _Tree:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for name in _FOLDERS
        for path in sorted((folder / name).rglob("*"))
        if path.is_file()
    }


class Killing:
    """Trees that are killed in one way, and what they are before and after an undisturbed run."""

    def __init__(self, folder: Path, way: Way) -> None:
        self.way = way
        self.start = folder / "start"
        make_tree(self.start / "src", FIRST)
        if way.is_again:
            finish(self.start, way.options)
            make_tree(self.start / "src", CHANGED)
        self.place = folder / "place"
        self.old = contents(self.start)
        self.reset()
        begun = time.monotonic()
        finish(self.place, way.options)
        self.seconds = time.monotonic() - begun
        self.new = contents(self.place)
        assert self.new != self.old

    def reset(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.start, self.place)

    def check(self) -> None:
        """After a kill: everything is whole, and the next run does the rest."""
        now = {path: data for path, data in contents(self.place).items() if ".hipport-" not in path}
        for path, data in now.items():
            # Under its old name a file may have its new content: it is renamed last.
            moved = path.replace(".cuh", ".hh").replace(".cu", ".hip")
            wanted = (self.old.get(path), self.new.get(path), self.new.get(moved))
            assert data in wanted, path
        # Nothing is lost, and nothing there twice.
        for path in self.old:
            moved = path.replace(".cuh", ".hh").replace(".cu", ".hip")
            assert (path in now) + (path != moved and moved in now and moved in self.new) == 1, path
        finish(self.place, self.way.options)
        assert contents(self.place) == self.new


def die_at(number: int) -> None:
    """Die of SIGKILL right before the process does something to files for the given time."""
    numbers = count(1)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        changes = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
        kinds = ("os.rename", "os.remove", "os.mkdir", "os.symlink", "os.chmod", "os.chown")
        if (changes or event in kinds) and next(numbers) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


@pytest.mark.slow
@WAYS
def test_killed_before_each_change_to_the_file_system(tmp_path: Path, way: Way) -> None:
    killing = Killing(tmp_path, way)
    for number in count(1):
        killing.reset()
        process = forked(killing.place, (*way.options, "--jobs", "1"), lambda: die_at(number))  # noqa: B023
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killing.check()
    assert number > 10


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@WAYS
def test_killed_at_random_moments(tmp_path: Path, way: Way, jobs: str) -> None:
    """25 kills for each of eight ways. Processes that worked for the killed one end by themselves;
    until then they hold its lock."""
    killing = Killing(tmp_path, way)
    chance = random.Random(f"{way}{jobs}")
    seconds, kills = killing.seconds * int(jobs), 0
    while kills < 25:
        killing.reset()
        process = forked(killing.place, (*way.options, "--jobs", jobs), lambda: None)
        time.sleep(chance.uniform(0, seconds))
        os.kill(process, signal.SIGKILL)
        killed = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
        seconds *= 1.1 if killed else 0.8
        kills += killed
        wait_for_session(process)
        killing.check()
