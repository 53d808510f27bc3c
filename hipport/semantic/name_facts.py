"""Asks libclang what the names in the files of a conversion refer to."""

from __future__ import annotations

import queue
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from hipport.errors import HipportError
from hipport.files import read
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.semantic.cuda_headers import find_headers, knowledge
from hipport.semantic.memory import Memory
from hipport.semantic.parse_jobs import Setting, job_for, plain, typed_calls
from hipport.source.names.counterparts import Decisions
from hipport.source.names.semantics import Semantics
from hipport.source.names.uses import names_of_interest
from hipport.source.options import Options
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE, Task, ending_of
from hipport.verification.compile_commands import Database, find_database
from hipport.verification.compiler_facts import knowledge as compilers
from hipport.verification.included_files import SourceTree
from hipport.verification.libclang import choose, find_resources
from hipport.verification.parser_process import SECONDS, Child

_PROGRAM = Path(__file__).with_name("names_child.py")


class Request(NamedTuple):
    """What the user said about the code and where CUDA's headers are."""

    cuda: Path | None = None
    database: Path | None = None
    given: tuple[str, ...] = ()
    """Arguments for every file."""
    jobs: int = 1
    seconds: int = SECONDS
    starts_over: bool = False
    """Whether to ignore what the last conversion found out."""


class _Found(msgspec.Struct):
    """What was said about one file: offset -> (class, `file:line`); None where units disagree."""

    meanings: dict[int, tuple[str, str] | None] = msgspec.field(default_factory=dict)
    arguments: dict[int, str | None] = msgspec.field(default_factory=dict)
    types: dict[int, tuple[str, ...]] = msgspec.field(default_factory=dict)
    is_seen: bool = False
    problem: str = ""


def with_semantics(
    tasks: Sequence[Task],
    groups: Mapping[Options, Iterable[Task]],
    request: Request,
    shown: Callable[[Iterator[Any], int], Iterator[Any]] = lambda answers, _: answers,
) -> list[Task]:
    """The tasks, those of CUDA, C and C++ with what libclang makes of their names.
    `groups` are the same tasks by how they are converted; `shown` shows the progress.

    A file without names of interest needs nothing. Where headers or libclang are missing, or the
    parse fails, that is the file's problem, and syntax decides. Raises HipportError for a folder or
    database that the user named and that is none.
    """
    headers = find_headers(request.cuda)
    listed = find_database(request.database, sorted({task.root for task in tasks}))
    texts = _Texts(tasks)
    names: dict[Path, set[str]] = {}
    for options, group in groups.items():
        decisions = Decisions(load(extend=options.extend_rules), options)
        sources = {plain(task.source): task.source for task in group}
        for path in _Texts(group):
            some = _names(Code(texts[path]), decisions)
            if some is not None:
                names[sources[path]] = some
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
    setting = Setting(
        headers, resources, library.path, database, request.given, device, typed_calls(load())
    )
    kept = Memory(tasks, (library, sorted(map(repr, groups))), starts_over=request.starts_over)
    asked = _Asked(texts, setting, request, kept, shown)
    found = _found(tasks, names, asked)
    kept.write()
    called = {plain(task.source): task.name for task in tasks}
    return [
        task._replace(semantics=_semantics(found[plain(task.source)], called))
        if task.source in names
        else task
        for task in tasks
    ]


def _same(tasks: Iterable[Task], names: dict[Path, Any], semantics: Semantics) -> list[Task]:
    return [task._replace(semantics=semantics) if task.source in names else task for task in tasks]


class _Texts(Mapping[str, bytes]):
    """The sources that libclang can read, by absolute path: a large tree's do not fit in memory."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self.paths = [
            plain(task.source)
            for task in tasks
            if task.language in ("cuda", "cpp", "c") and not (task.is_link or task.is_build_file)
        ]

    def __getitem__(self, path: str) -> bytes:
        try:
            return read(Path(path), LARGEST_SOURCE)
        except HipportError:
            return b""  # The conversion reports it.

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def _names(code: Code, decisions: Decisions) -> set[str] | None:
    """The names in a file that would be renamed, or reported as unknown, if they are CUDA's.

    Namespaces and words as common as `reduce` are left to syntax. None if nothing in the file
    depends on what a compiler says.
    """
    found = names_of_interest(code, decisions) or set()
    names = {name for name in found if _matters(name, decisions)}
    is_asked = names or any(word in code.text for word in knowledge()["asked"])
    return names if is_asked else None


def _matters(name: str, decisions: Decisions) -> bool:
    rules, decision = decisions.rules, decisions.of(name)
    if decision is None:
        return name not in rules.names and rules.unknown.fullmatch(name)
    return name not in rules.namespaces and not rules.is_common_word(decision.rule)


class _Asked(NamedTuple):
    """Whom to ask about the units, and how."""

    texts: Mapping[str, bytes]
    setting: Setting
    request: Request
    kept: Memory
    shown: Callable[[Iterator[Any], int], Iterator[Any]]

    def answers(
        self, tasks: Sequence[Task], trees: Mapping[Path, SourceTree], names: list[str]
    ) -> Iterator[list[dict[str, Any]]]:
        """What is said of each task, in their order: of the host's pass, and of the device's too
        where a file that it reads has code only for the device."""
        request, setting = self.request, self.setting
        count = min(request.jobs, len(tasks))
        children = [Child(setting.library, request.seconds, _PROGRAM) for _ in range(count)]
        idle: queue.SimpleQueue[Child] = queue.SimpleQueue()
        for child in children:
            idle.put(child)
        conditions = [each.encode() for each in knowledge()["conditions"]]
        divided = {
            path for path, data in self.texts.items() if any(word in data for word in conditions)
        }

        def one(task: Task) -> list[dict[str, Any]]:
            job = job_for(task, setting, trees[task.root], names)
            known = self.kept.find(task, job)
            if known is not None:
                return known
            child = idle.get()
            try:
                found = [child.ask(job)]
                if task.language == "cuda" and not divided.isdisjoint(found[0].get("read", ())):
                    found.append(
                        child.ask(job_for(task, setting, trees[task.root], names, "device"))
                    )
            finally:
                idle.put(child)
            self.kept.put(task, job, found)
            return found

        try:
            with ThreadPoolExecutor(max(len(children), 1)) as pool:
                yield from self.shown(pool.map(one, tasks), len(tasks))
        finally:
            for child in children:
                child.end()


def _found(tasks: Sequence[Task], names: dict[Path, set[str]], asked: _Asked) -> dict[str, _Found]:
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
            if is_unit[task] is are_units and not found[plain(task.source)].is_seen
        ]
        for task, answers in zip(chosen, asked.answers(chosen, trees, wanted), strict=True):
            path = plain(task.source)
            found[path].problem = _problem(answers[0])
            for answer in answers:
                _take(found, path, answer)
    return found


def _trees(tasks: Iterable[Task]) -> dict[Path, SourceTree]:
    files: dict[Path, list[Path]] = defaultdict(list)
    for task in tasks:
        files[task.root].append(task.source)
    return {root: SourceTree(root, each) for root, each in files.items()}


def _problem(answer: dict[str, Any]) -> str:
    return str(answer.get("problem", "")) or next(iter(answer.get("errors", ())), "")


def _take(found: dict[str, _Found], path: str, answer: dict[str, Any]) -> None:
    """Add what a unit says; what two units say differently of a header holds for neither."""
    found[path].is_seen = True
    for each, places in answer.get("files", {}).items():
        file = found[each]
        file.is_seen = True
        for offset, whose, declared, line in places:
            what = (whose, f"{declared}:{line}")
            known = file.meanings.get(offset, what)
            file.meanings[offset] = what if known and known[0] == whose else None
    for each, offset, kind in answer.get("arguments", ()):
        arguments = found[each].arguments
        arguments[offset] = kind if arguments.get(offset, kind) == kind else None
    for each, offset, names in answer.get("types", ()):
        types = found[each].types
        types[offset] = tuple(names) if types.get(offset, tuple(names)) == tuple(names) else ()


def _semantics(found: _Found, shown: dict[str, str]) -> Semantics:
    own = []
    for offset, what in sorted(found.meanings.items()):
        if what and what[0] == "own":
            path, _, line = what[1].rpartition(":")
            own.append((offset, f"{shown.get(path, Path(path).name)}:{line}"))
    vendor = (at for at, what in sorted(found.meanings.items()) if what and what[0] == "vendor")
    arguments = tuple((at, what) for at, what in sorted(found.arguments.items()) if what)
    types = tuple(sorted((at, names) for at, names in found.types.items() if names))
    return Semantics(tuple(vendor), tuple(own), arguments, types, found.problem)
