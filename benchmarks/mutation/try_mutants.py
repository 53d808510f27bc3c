"""A plugin of pytest: once the tests are collected, they run against mutants instead.

Each mutant lives in a process of its own, forked with everything imported, where the code of one
function is exchanged. Only tests that reach this function run, the quickest first. A mutant outside
functions is there before anything is imported, and so has its own run of pytest (`MUTANT`).
"""

from __future__ import annotations

import atexit
import gc
import importlib.util
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import IO, Any, ClassVar, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from benchmarks.mutation.mutants import Mutant, mutants
from tests.support import forked

ROOT = Path(__file__).resolve().parents[2]
_MEMORY = 3 << 30
_ENVIRONMENT = "MUTANT"
_NOT_TRIED = 2

_ALL = ("", 0)

Reached = dict[tuple[str, int], dict[str, float]]
"""Files and first lines of functions: which tests reach each, and the seconds that these take; at
`_ALL` those of all tests."""


class Drawn(NamedTuple):
    path: Path
    number: int
    mutant: Mutant


class _Running(NamedTuple):
    drawn: Drawn
    tests: int
    start: float


def draw(folder: Path, count: int, seed: int) -> list[Drawn]:
    every = [
        (path, number, make)
        for path in sorted(folder.rglob("*.py"))
        # What runs in a process of its own is not where a mutant lives.
        if not path.stem.endswith("_child")
        for number, make in enumerate(mutants(path.read_text("utf-8")))
    ]
    chosen = random.Random(seed).sample(every, min(count, len(every)))
    return [Drawn(path, number, make()) for path, number, make in chosen]


def survivors(results: Path) -> list[Drawn]:
    """Those of an earlier run, with sources as they were then."""
    found = []
    for line in results.read_text("utf-8").splitlines():
        each = json.loads(line)
        if each["verdict"] != "killed":
            path = ROOT / each["path"]
            make = list(mutants(path.read_text("utf-8")))[each["number"]]
            found.append(Drawn(path, each["number"], make()))
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    for name in ("folder", "count", "seed", "jobs", "results", "again"):
        parser.addoption(f"--mutants-{name}")


def pytest_configure(config: pytest.Config) -> None:
    forked._start = _Forking  # type: ignore[assignment]
    if wanted := os.environ.get(_ENVIRONMENT):
        path, _, number = wanted.rpartition(":")
        sys.meta_path.insert(0, _Mutating(Path(path), int(number)))


class _Forking:
    """Commands run in forks of the process that has the mutant."""

    at_start: ClassVar = {
        key: value for key, value in os.environ.items() if key.startswith(forked._AT_START)
    }
    at_end: ClassVar[Callable[[], None] | None] = None

    def run(self, request: bytes, files: tuple[IO[bytes], ...], timeout: float) -> int:
        process = os.fork()
        if process == 0:
            atexit._clear()
            # Not by `self`, which would be an argument of it.
            if at_end := type(self).at_end:
                atexit.register(at_end)
            forked._become(request, [os.dup(each.fileno()) for each in files])
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


class _Mutating:
    """Imports one module as a mutant."""

    def __init__(self, path: Path, number: int) -> None:
        self.path, self.number = path, number
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        self.name = name.removesuffix(".__init__")

    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        if name != self.name:
            return None
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec and spec.loader
        make = list(mutants(self.path.read_text("utf-8")))[self.number]
        code = compile(make().tree, str(self.path), "exec", dont_inherit=True)
        spec.loader.get_code = lambda _: code  # type: ignore[attr-defined]
        return spec


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    option = partial(_option, session.config)
    if not (folder := option("folder")):
        return None
    forked.load_all()
    gc.unfreeze()
    if again := option("again"):
        drawn = survivors(Path(again))
    else:
        drawn = draw(ROOT / folder, int(option("count")), int(option("seed")))
    reached = _in_child(lambda: _tests_reached(session.items, ROOT / folder))
    items = {item.nodeid: item for item in session.items}
    running: dict[int, _Running] = {}
    with Path(option("results")).open("w", encoding="utf-8") as results:
        for each in drawn:
            if len(running) >= int(option("jobs")):
                print(_verdict(running), file=results, flush=True)
            tests = _tests_for(each, reached)
            process = os.fork()
            if process == 0:
                try:
                    _try(each, [items[test] for test in tests], sum(tests.values()))
                finally:
                    os._exit(_NOT_TRIED)
            running[process] = _Running(each, len(tests), time.monotonic())
        while running:
            print(_verdict(running), file=results, flush=True)
    return True


def _option(config: pytest.Config, name: str) -> str:
    return str(config.getoption(f"--mutants-{name}") or "")


def _verdict(running: dict[int, _Running]) -> str:
    """Waits for one of the mutants; what is written of it."""
    process, status = os.wait()
    drawn, tests, start = running.pop(process)
    verdicts = {0: "survived", _NOT_TRIED: "not tried"}
    found = {
        "path": drawn.path.relative_to(ROOT).as_posix(),
        "number": drawn.number,
        "line": drawn.mutant.line,
        "what": drawn.mutant.what,
        "tests": tests,
        "verdict": verdicts.get(os.waitstatus_to_exitcode(status), "killed"),
        "seconds": round(time.monotonic() - start, 1),
    }
    return json.dumps(found)


def _in_child(work: Callable[[], list[Any]]) -> Reached:
    """What is kept between tests must not be kept for the mutants: they would not be asked."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writing, "w") as pipe:
            json.dump(work(), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = json.load(pipe)
    os.wait()
    reached: Reached = defaultdict(dict)
    for test, seconds, functions in found:
        reached[_ALL][test] = seconds
        for path, line in functions:
            reached[path, line][test] = seconds
    return reached


def _tests_reached(items: list[pytest.Item], folder: Path) -> list[Any]:
    """Each test, its seconds, and the functions below `folder` that it calls, in commands too."""
    found, prefix = [], str(folder)
    functions: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if (code := frame.f_code).co_filename.startswith(prefix):
            functions.add((code.co_filename, code.co_firstlineno))

    with tempfile.TemporaryFile("a+") as told:

        def tell() -> None:
            sys.settrace(None)
            for each in functions:
                print(*each, sep="\t", file=told, flush=True)

        _Forking.at_end = tell
        passing = _passing(items)
        for item in items:
            functions.clear()
            told.truncate(0)
            start = time.monotonic()
            threading.settrace(note)
            sys.settrace(note)
            passes = next(passing)
            sys.settrace(None)
            threading.settrace(None)
            told.seek(0)
            for line in told:
                path, number = line.split("\t")
                functions.add((path, int(number)))
            if passes:
                found.append((item.nodeid, time.monotonic() - start, sorted(functions)))
            else:
                print(f"left out, since it fails without mutants: {item.nodeid}", file=sys.stderr)
    return found


def _tests_for(drawn: Drawn, reached: Reached) -> dict[str, float]:
    path, function = str(drawn.path), drawn.mutant.function
    tests: dict[str, float] = {}
    for (file, line), each in reached.items():
        if file == path and function in (0, line):
            tests |= each
    if not function:
        # Tests of constants need not call a function beside them; those of the module do.
        modules = {test.partition("::")[0] for test in tests}
        every = reached[_ALL].items()
        tests |= {test: took for test, took in every if test.partition("::")[0] in modules}
    return dict(sorted(tests.items(), key=lambda test: test[1]))


def _try(drawn: Drawn, items: list[pytest.Item], seconds: float) -> None:
    """Ends the process, with 0 if all tests pass."""
    limit = int(10 + 3 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    signal.alarm(3 * limit)
    if not drawn.mutant.function:
        os._exit(_run_of_pytest(drawn, items))
    _exchange(drawn)
    os._exit(0 if all(_passing(items)) else 1)


def _run_of_pytest(drawn: Drawn, items: list[pytest.Item]) -> int:
    if not items:
        return 0
    environment = {**os.environ, _ENVIRONMENT: f"{drawn.path}:{drawn.number}"}
    options = [
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        __name__,
        "-c",
        "pyproject.toml",
        "-m",
        "",
    ]
    command = [sys.executable, "-m", "pytest", *options, *(item.nodeid for item in items)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    return min(done.returncode, 1)


def _passing(items: list[pytest.Item]) -> Iterator[bool]:
    for item, following in zip_longest(items, items[1:]):
        reports = runtestprotocol(item, log=False, nextitem=following)
        yield not any(report.failed for report in reports)


def _exchange(drawn: Drawn) -> None:
    """Gives every function of this place its new code; what others imported is the same object."""
    compiled = compile(drawn.mutant.tree, str(drawn.path), "exec", dont_inherit=True)
    line = drawn.mutant.function
    [code] = [each for each in _codes(compiled) if each.co_firstlineno == line]
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and _is_at(each.__code__, code):
            each.__code__ = code


def _is_at(one: CodeType, other: CodeType) -> bool:
    places = ((each.co_filename, each.co_firstlineno, each.co_name) for each in (one, other))
    return len(set(places)) == 1


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            if each.co_name[0] != "<":
                yield from _codes(each)
