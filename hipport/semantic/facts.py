"""Asks libclang what the names in the files of a conversion refer to."""

from __future__ import annotations

import os
import queue
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hipport.errors import HipportError
from hipport.files import read
from hipport.semantic.headers import find_headers, knowledge
from hipport.source.decide import Decisions
from hipport.source.project import LARGEST_SOURCE, Task, ending_of
from hipport.source.rules import load
from hipport.source.scan import names_of_interest
from hipport.source.semantics import Semantics
from hipport.source.unit import Options
from hipport.verify.database import Database, find_database
from hipport.verify.includes import SourceTree
from hipport.verify.knowledge import knowledge as compilers
from hipport.verify.libclang import choose, find_resources
from hipport.verify.parser import SECONDS, Child

_PROGRAM = Path(__file__).with_name("child.py")
# Every compiler looks there: named again, it would come before the compiler's own headers.
_SYSTEM = Path("/usr/include")
_PRELUDE = "hipport-prelude.h"
_STANDARDS = ("-std", "--std")


class Request(NamedTuple):
    """What the user said about the code and where CUDA's headers are."""

    cuda: Path | None = None
    database: Path | None = None
    given: tuple[str, ...] = ()
    """Arguments for every file."""
    jobs: int = 1
    seconds: int = SECONDS


class _Setting(NamedTuple):
    """What all files are parsed with."""

    headers: list[Path]
    resources: Path
    library: str
    database: Database | None
    given: tuple[str, ...]
    device_names: list[str]


@dataclass(slots=True)
class _Found:
    """What was said about one file: offset -> (class, `file:line`); None where units disagree."""

    meanings: dict[int, tuple[str, str] | None] = field(default_factory=dict)
    is_seen: bool = False
    problem: str = ""


def with_semantics(
    tasks: Sequence[Task], groups: Mapping[Options, Sequence[Task]], request: Request
) -> list[Task]:
    """The tasks, those of CUDA, C and C++ with what libclang makes of their names.
    `groups` are the same tasks by how they are converted.

    A file without names of interest needs nothing. Where headers or libclang are missing, or the
    parse fails, that is the file's problem, and syntax decides. Raises HipportError for a folder or
    database that the user named and that is none.
    """
    headers = find_headers(request.cuda)
    listed = find_database(request.database, sorted({task.root for task in tasks}))
    names: dict[Path, set[str]] = {}
    for options, group in groups.items():
        decisions = Decisions(load(extend=options.extend_rules), options)
        names |= {task.source: some for task in group if (some := _names(task, decisions))}
    if not names:
        return list(tasks)
    problem = "" if headers else f"{knowledge()['header']} was not found on this machine"
    try:
        library = choose(0, None)
        resources = find_resources(None, library, None).folder
    except HipportError as error:
        problem = problem or str(error)
    if problem:
        return _same(tasks, names, Semantics(problem=problem))
    database = Database(listed, None, None) if listed else None
    device = [name for name, library_ in load().names.items() if library_ == "device"]
    setting = _Setting(headers, resources, library.path, database, request.given, device)
    found = _found(tasks, names, setting, request)
    shown = {_plain(task.source): task.name for task in tasks}
    return [
        task._replace(semantics=_semantics(found[_plain(task.source)], shown))
        if task.source in names
        else task
        for task in tasks
    ]


def _same(tasks: Iterable[Task], names: dict[Path, Any], semantics: Semantics) -> list[Task]:
    return [task._replace(semantics=semantics) if task.source in names else task for task in tasks]


def _names(task: Task, decisions: Decisions) -> set[str]:
    """The names in a file that would be renamed, or reported as unknown, if they are CUDA's.

    Namespaces and words as common as `reduce` are left to syntax.
    """
    if task.language not in ("cuda", "cpp", "c") or task.is_link or task.is_build_file:
        return set()
    try:
        text = read(task.source, LARGEST_SOURCE).decode("latin-1")
    except HipportError:
        return set()  # The conversion tells.
    found = names_of_interest(text, decisions) or set()
    return {name for name in found if _matters(name, decisions)}


def _matters(name: str, decisions: Decisions) -> bool:
    rules, decision = decisions.rules, decisions.of(name)
    if decision is None:
        return name not in rules.names and rules.unknown.fullmatch(name) is not None
    is_common_word = decision.rule.kind == "device_function" and not name.startswith("_")
    return name not in rules.namespaces and not is_common_word


def _found(
    tasks: Sequence[Task], names: dict[Path, set[str]], setting: _Setting, request: Request
) -> dict[str, _Found]:
    """What was found out about each file, by its absolute path.

    Sources first: a header that one of them includes is read as the compiler reads it there. The
    others are parsed alone.
    """
    found: dict[str, _Found] = defaultdict(_Found)
    units = compilers()["units"]
    trees = _trees(task for task in tasks if task.language and not task.is_link)
    tasks = [task for task in tasks if task.source in names]
    is_unit = {task: ending_of(task.source.name).lower() in units for task in tasks}
    wanted = sorted(set().union(*names.values()))
    for are_units in (True, False):
        chosen = [
            task
            for task in tasks
            if is_unit[task] is are_units and not found[_plain(task.source)].is_seen
        ]
        jobs = [_job(task, setting, trees[task.root], wanted) for task in chosen]
        for task, answer in zip(chosen, _ask(jobs, setting.library, request), strict=True):
            _take(found, _plain(task.source), answer)
    return found


def _ask(
    jobs: Sequence[dict[str, Any]], library: str, request: Request
) -> Iterator[dict[str, Any]]:
    """The answers to the jobs, in their order, from as many processes as the user allows."""
    children = [
        Child(library, request.seconds, _PROGRAM) for _ in range(min(request.jobs, len(jobs)))
    ]
    idle: queue.SimpleQueue[Child] = queue.SimpleQueue()
    for child in children:
        idle.put(child)

    def one(job: dict[str, Any]) -> dict[str, Any]:
        child = idle.get()
        try:
            return child.ask(job)
        finally:
            idle.put(child)

    try:
        with ThreadPoolExecutor(max(len(children), 1)) as pool:
            yield from pool.map(one, jobs)
    finally:
        for child in children:
            child.end()


def _trees(tasks: Iterable[Task]) -> dict[Path, SourceTree]:
    files: dict[Path, list[Path]] = defaultdict(list)
    for task in tasks:
        files[task.root].append(task.source)
    return {root: SourceTree(root, each) for root, each in files.items()}


def _take(found: dict[str, _Found], path: str, answer: dict[str, Any]) -> None:
    """Add what a unit says; what two units say differently of a header holds for neither."""
    unit = found[path]
    unit.is_seen = True
    unit.problem = str(answer.get("problem", "")) or next(iter(answer.get("errors", ())), "")
    for each, places in answer.get("files", {}).items():
        file = found[each]
        file.is_seen = True
        for offset, whose, declared, line in places:
            what = (whose, f"{declared}:{line}")
            known = file.meanings.get(offset, what)
            file.meanings[offset] = what if known and known[0] == whose else None


def _semantics(found: _Found, shown: dict[str, str]) -> Semantics:
    own = []
    for offset, what in sorted(found.meanings.items()):
        if what and what[0] == "own":
            path, _, line = what[1].rpartition(":")
            own.append((offset, f"{shown.get(path, Path(path).name)}:{line}"))
    vendor = (at for at, what in sorted(found.meanings.items()) if what and what[0] == "vendor")
    return Semantics(tuple(vendor), tuple(own), found.problem)


def _job(task: Task, setting: _Setting, tree: SourceTree, names: list[str]) -> dict[str, Any]:
    path = Path(_plain(task.source))
    listed = setting.database.arguments(path) if setting.database else None
    folder = listed.folder if listed else Path.cwd()
    own = listed.arguments if listed else [f"-I{each}" for each in tree.include_folders(path)]
    words = [*setting.given, *own]
    is_cuda = task.language == "cuda"
    made = ["-resource-dir", str(setting.resources), "-ferror-limit=0", "-w"]
    prelude = str(folder.absolute() / _PRELUDE)
    if is_cuda:
        made += [*knowledge()["arguments"], "-include", prelude]
    else:
        made += ["-x", "c" if task.language == "c" else "c++"]
    if task.language != "c" and not any(each.startswith(_STANDARDS) for each in words):
        made.append(f"-std={compilers()['standard']}")
    folders = [each for each in setting.headers if each.resolve() != _SYSTEM]
    made += [*words, *(word for each in folders for word in ("-isystem", str(each)))]
    return {
        "path": str(path),
        "folder": str(folder.absolute()),
        "arguments": made,
        "prelude": knowledge()["prelude"] if is_cuda else "",
        "prelude_path": prelude,
        "names": names,
        "roots": [f"{_plain(task.root)}{os.sep}"],
        "vendor": [f"{each}{os.sep}" for each in (*folders, setting.resources)],
        "headers": list(load().headers),
        "device_names": setting.device_names,
    }


def _plain(path: Path) -> str:
    return os.path.normpath(path.absolute())
